#include "confirm.h"

#include <utility>

#include <fmt/format.h>

namespace sluice::datasets {

namespace {

constexpr std::int64_t kPageRows = 100;

json::Object with(json::Object arguments, std::string key, json::Value value) {
  arguments.set(std::move(key), std::move(value));
  return arguments;
}

json::Array alternatives(const json::Object& arguments) {
  json::Array out;
  const auto add = [&out](std::string_view label, json::Object changed) {
    out.push_back(json::Object{{"label", label}, {"arguments", std::move(changed)}});
  };
  add("Only the first page", with(arguments, "limit", kPageRows));
  if (!arguments.contains("group_by") && !arguments.contains("aggs")) {
    add("Count the rows instead", with(arguments, "aggs", json::Array{json::Object{{"fn", "count"}}}));
  }
  if (!arguments.contains("output_format"))
    add("A Parquet file", with(with(arguments, "output_format", "parquet"), "confirm", true));
  add("Everything, as a handle", with(arguments, "confirm", true));
  return out;
}

std::string question_text(const query::Estimate& estimate) {
  return fmt::format("The answer would have about {} rows ({} MB as JSON, {}). Go on?", estimate.rows,
                     estimate.bytes / 1'000'000, query::to_string(estimate.kind));
}

protocol::ToolResult unconfirmed(std::string_view status, const query::Estimate& estimate,
                                 const json::Object& arguments) {
  return protocol::structured_result(json::Object{
      {"status", status},
      {"question", question_text(estimate)},
      {"row_estimate", estimate.rows},
      {"row_estimate_kind", query::to_string(estimate.kind)},
      {"byte_estimate", estimate.bytes},
      {"hint", "Call again with one of these arguments; confirm: true proceeds with everything."},
      {"alternatives", alternatives(arguments)}});
}

// Asks whether to go on. Nothing: this client cannot be asked.
Result<std::optional<bool>> ask_to_proceed(const std::string& message, std::string_view title,
                                           catalog::Context& context) {
  protocol::ElicitForm form{
      .message = message,
      .schema = json::Object{
          {"type", "object"},
          {"properties",
           json::Object{{"proceed", json::Object{{"type", "boolean"},
                                                 {"title", title},
                                                 {"description", "No: ask another question instead."}}}}},
          {"required", json::Array{"proceed"}}}};
  if (!context.can_ask(form)) return std::optional<bool>();
  SLUICE_TRY(const protocol::ElicitAnswer answer, context.ask_form("confirm", std::move(form)));
  const json::Value* proceed = answer.content.find("proceed");
  return std::optional(answer.action == protocol::ElicitAction::kAccept && proceed != nullptr &&
                       proceed->if_bool() != nullptr && *proceed->if_bool());
}

}  // namespace

Result<std::optional<protocol::ToolResult>> confirm_size(const Desk& desk, const query::Estimate& estimate,
                                                         const expression::Question& question,
                                                         const json::Object& arguments,
                                                         catalog::Context& context) {
  const Limits& limits = desk.services().limits;
  if (estimate.rows <= limits.confirm_rows && estimate.bytes <= limits.confirm_bytes) {
    return std::optional<protocol::ToolResult>();
  }
  // The planner knows how many rows the data has, and nothing of what filters and groups leave: no reason to
  // ask.
  if (estimate.kind == query::EstimateKind::kPlanner && !question.keeps_rows) {
    return std::optional<protocol::ToolResult>();
  }
  SLUICE_TRY(const std::optional<bool> proceeds,
             ask_to_proceed(question_text(estimate), "Compute everything", context));
  if (proceeds == true) return std::optional<protocol::ToolResult>();
  return std::optional(unconfirmed(proceeds ? "declined" : "needs_confirmation", estimate, arguments));
}

Result<std::optional<protocol::ToolResult>> confirm_loss(const json::Object& arguments,
                                                         catalog::Context& context) {
  const std::string question =
      "Only the first row of each will be kept; the others are dropped, with whatever differs in them. Go "
      "on?";
  SLUICE_TRY(const std::optional<bool> proceeds, ask_to_proceed(question, "Drop the others", context));
  if (proceeds == true) return std::optional<protocol::ToolResult>();
  json::Object body{
      {"status", proceeds ? "declined" : "needs_confirmation"},
      {"question", question},
      {"hint", "Call again with confirm: true, or without deduplicate."},
      {"alternatives", json::Array{json::Object{{"label", "Drop the others"},
                                                {"arguments", with(arguments, "confirm", true)}}}}};
  return std::optional(protocol::structured_result(std::move(body)));
}

}  // namespace sluice::datasets

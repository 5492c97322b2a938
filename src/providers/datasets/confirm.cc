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

}  // namespace

Result<std::optional<protocol::ToolResult>> confirm_size(const Desk& desk, const query::Estimate& estimate,
                                                         const json::Object& arguments,
                                                         catalog::Context& context) {
  const Limits& limits = desk.services().limits;
  if (estimate.rows <= limits.confirm_rows && estimate.bytes <= limits.confirm_bytes) {
    return std::optional<protocol::ToolResult>();
  }
  protocol::ElicitForm form{
      .message = question_text(estimate),
      .schema = json::Object{
          {"type", "object"},
          {"properties", json::Object{{"proceed", json::Object{{"type", "boolean"},
                                                               {"title", "Compute everything"},
                                                               {"description",
                                                                "No: choose a cheaper question instead."}}}}},
          {"required", json::Array{"proceed"}}}};
  if (!context.can_ask(form)) {
    return std::optional(unconfirmed("needs_confirmation", estimate, arguments));
  }
  SLUICE_TRY(const protocol::ElicitAnswer answer, context.ask_form("confirm_size", std::move(form)));
  const json::Value* proceed = answer.content.find("proceed");
  const bool goes_on = answer.action == protocol::ElicitAction::kAccept && proceed != nullptr &&
                       proceed->if_bool() != nullptr && *proceed->if_bool();
  if (goes_on) return std::optional<protocol::ToolResult>();
  return std::optional(unconfirmed("declined", estimate, arguments));
}

}  // namespace sluice::datasets

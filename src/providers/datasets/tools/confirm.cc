#include "tools/confirm.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sluice/base/text.h"

namespace sluice::datasets {

namespace {

constexpr std::int64_t kPageRows = 100;
// Longer arguments are not repeated in each alternative, only what would change.
constexpr std::size_t kArgumentsBytesMax = 1'000;
constexpr std::size_t kSourcesMax = 4;  // That are named in a question.

struct Alternative {
  std::string_view label;
  json::Object changes;
};

std::vector<Alternative> cheaper(const json::Object& arguments) {
  std::vector<Alternative> out;
  if (arguments.contains("sql") || arguments.contains("polars_expr")) return out;  // It is up to the text.
  out.push_back({.label = "Only the first rows", .changes = {{"limit", kPageRows}}});
  if (!arguments.contains("group_by") && !arguments.contains("aggs")) {
    out.push_back({.label = "Count the rows instead",
                   .changes = {{"aggs", json::Array{json::Object{{"fn", "count"}}}}}});
  }
  return out;
}

// The sums that a reader of rows mostly wants, if the collection says what its rows are about.
std::optional<json::Object> totals_by_group(const Subject& subject, const json::Object& arguments) {
  if (arguments.contains("group_by") || arguments.contains("aggs")) return std::nullopt;
  const query::Collection& collection = subject.dataset->collection();
  const expression::Columns& columns = subject.table->columns;
  const std::string& group = collection.entity.group;
  const std::string amount = role_column(collection, columns, collection.entity.measure);
  if (amount.empty() || !query::find_column(columns, group).ok()) return std::nullopt;
  return json::Object{
      {"label", fmt::format("Totals by {}", excerpt(group))},
      {"changes", json::Object{{"group_by", json::Array{group}},
                               {"aggs", json::Array{json::Object{{"col", amount}, {"fn", "sum"}}}}}}};
}

json::Array alternatives_json(const std::vector<Alternative>& alternatives, const json::Object& arguments) {
  const bool is_long = json::to_text(json::Value(arguments)).size() > kArgumentsBytesMax;
  json::Array out;
  for (const Alternative& one : alternatives) {
    json::Object changed = is_long ? json::Object() : arguments;
    for (const json::Member& member : one.changes) changed.set(member.key, member.value);
    out.push_back(
        json::Object{{"label", one.label}, {is_long ? "changes" : "arguments", std::move(changed)}});
  }
  return out;
}

json::Array alternatives(const json::Object& arguments) {
  std::vector<Alternative> out = cheaper(arguments);
  if (!arguments.contains("output_format")) {
    out.push_back({.label = "A Parquet file", .changes = {{"output_format", "parquet"}, {"confirm", true}}});
  }
  out.push_back({.label = "Everything, as a handle", .changes = {{"confirm", true}}});
  return alternatives_json(out, arguments);
}

std::string question_text(const query::Estimate& estimate) {
  return fmt::format("The answer would have about {} rows ({} MB as JSON, {}). Go on?", estimate.rows,
                     estimate.bytes / 1'000'000, query::to_string(estimate.kind));
}

// The answer where nobody has agreed. `facts` are members of their own.
protocol::ToolResult unconfirmed(bool was_asked, const std::string& question, const json::Object& facts,
                                 json::Array alternatives) {
  json::Object out{{"status", was_asked ? "declined" : "needs_confirmation"}, {"question", question}};
  for (const json::Member& fact : facts) out.set(fact.key, fact.value);
  out.set("hint",
          "Call again with the arguments of one of these, or with its changes; confirm: true proceeds.");
  out.set("alternatives", std::move(alternatives));
  return protocol::structured_result(std::move(out));
}

double megabytes(std::uint64_t bytes) { return static_cast<double>(bytes) / 1e6; }

// " (sales.orders: 3000000 rows, 96.0 MB; north: 40 rows, 0.1 MB)", for the tables that are known.
std::string sources_text(const std::vector<query::Transfer>& tables) {
  std::string out;
  for (std::size_t i = 0; i < tables.size() && i < kSourcesMax; ++i) {
    out += out.empty() ? " (" : "; ";
    out += fmt::format("{}: {}{:.1f} MB", excerpt(tables[i].dataset),
                       tables[i].rows ? fmt::format("{} rows, ", *tables[i].rows) : "",
                       megabytes(tables[i].bytes));
  }
  return out.empty() ? out : out + ")";
}

json::Array sources_json(const std::vector<query::Transfer>& tables) {
  json::Array out;
  for (const query::Transfer& one : tables) {
    json::Object source{{"dataset", one.dataset}, {"bytes", one.bytes}};
    if (one.rows) source.set("rows", *one.rows);
    out.push_back(std::move(source));
  }
  return out;
}

std::uint64_t whole(double value) {
  constexpr double kMax = 1e18;
  return static_cast<std::uint64_t>(std::min(value, kMax));
}

json::Object estimate_facts(const query::Estimate& estimate) {
  return {{"row_estimate", estimate.rows},
          {"row_estimate_kind", query::to_string(estimate.kind)},
          {"byte_estimate", estimate.bytes}};
}

// One question of a call. Each has a key of its own: a call may have to ask more than one.
struct Asking {
  std::string key;
  std::string message;
  std::string_view title;  // Of going on.
};
// Asks whether to go on. Nothing: this client cannot be asked.
Result<std::optional<bool>> ask_to_proceed(const Asking& asking, catalog::Context& context) {
  protocol::ElicitForm form{
      .message = asking.message,
      .schema = json::Object{
          {"type", "object"},
          {"properties",
           json::Object{{"proceed", json::Object{{"type", "boolean"},
                                                 {"title", asking.title},
                                                 {"description", "No: ask another question instead."}}}}},
          {"required", json::Array{"proceed"}}}};
  if (!context.can_ask(form)) return std::optional<bool>();
  SLUICE_TRY(const protocol::ElicitAnswer answer, context.ask_form(asking.key, std::move(form)));
  const json::Value* proceed = answer.content.find("proceed");
  return std::optional(answer.action == protocol::ElicitAction::kAccept && proceed != nullptr &&
                       proceed->if_bool() != nullptr && *proceed->if_bool());
}

}  // namespace

Result<std::optional<protocol::ToolResult>> confirm_size(const DatasetTools& tools,
                                                         const query::Estimate& estimate,
                                                         const expression::Question& question,
                                                         const json::Object& arguments,
                                                         catalog::Context& context) {
  const Limits& limits = tools.services().limits;
  if (estimate.rows <= limits.confirm_rows && estimate.bytes <= limits.confirm_bytes) {
    return std::optional<protocol::ToolResult>();
  }
  // The planner knows how many rows the data has, and nothing of what filters and groups leave: no reason to
  // ask.
  if (estimate.kind == query::EstimateKind::kPlanner && !question.keeps_rows) {
    return std::optional<protocol::ToolResult>();
  }
  const std::string text = question_text(estimate);
  SLUICE_TRY(const std::optional<bool> proceeds,
             ask_to_proceed({.key = "confirm", .message = text, .title = "Compute everything"}, context));
  if (proceeds == true) return std::optional<protocol::ToolResult>();
  return std::optional(
      unconfirmed(proceeds.has_value(), text, estimate_facts(estimate), alternatives(arguments)));
}

Result<std::optional<protocol::ToolResult>> confirm_growth(std::uint64_t rows, const json::Object& arguments,
                                                           catalog::Context& context) {
  const std::string text = fmt::format(
      "The answer is much larger than it seemed: it has more than {} rows, or too many bytes. Go on?", rows);
  SLUICE_TRY(
      const std::optional<bool> proceeds,
      ask_to_proceed({.key = "confirm_growth", .message = text, .title = "Compute everything"}, context));
  if (proceeds == true) return std::optional<protocol::ToolResult>();
  const json::Object facts{{"row_estimate", rows}, {"row_estimate_kind", "at_least"}};
  return std::optional(unconfirmed(proceeds.has_value(), text, facts, alternatives(arguments)));
}

Result<std::optional<protocol::ToolResult>> confirm_pairs(const WorkSize& work, const json::Object& arguments,
                                                          catalog::Context& context) {
  const std::string text =
      fmt::format("The joins of this statement make {} {:.3g} rows, whatever is left of them{}. Go on?",
                  work.is_counted ? "about" : "up to", work.pairs, sources_text(work.tables));
  SLUICE_TRY(const std::optional<bool> proceeds,
             ask_to_proceed({.key = "confirm_pairs", .message = text, .title = "Join all of them"}, context));
  if (proceeds == true) return std::optional<protocol::ToolResult>();
  const json::Object facts{{"pairs_estimate", whole(work.pairs)},
                           {"pairs_estimate_kind", work.is_counted ? "counted" : "at_most"},
                           {"sources", sources_json(work.tables)}};
  return std::optional(unconfirmed(proceeds.has_value(), text, facts, alternatives(arguments)));
}

Result<std::optional<protocol::ToolResult>> confirm_transfer(const std::vector<query::Transfer>& transfers,
                                                             const json::Object& arguments,
                                                             catalog::Context& context) {
  std::uint64_t bytes = 0;
  for (const query::Transfer& one : transfers) bytes += one.bytes;
  const std::string text = fmt::format("Databases would have to send about {:.1f} MB{}. Go on?",
                                       megabytes(bytes), sources_text(transfers));
  SLUICE_TRY(
      const std::optional<bool> proceeds,
      ask_to_proceed({.key = "confirm_transfer", .message = text, .title = "Read all of it"}, context));
  if (proceeds == true) return std::optional<protocol::ToolResult>();
  const json::Object facts{{"transfer_estimate", bytes}, {"sources", sources_json(transfers)}};
  return std::optional(unconfirmed(proceeds.has_value(), text, facts, alternatives(arguments)));
}

Result<std::optional<protocol::ToolResult>> confirm_more_transfer(std::uint64_t bytes,
                                                                  const json::Object& arguments,
                                                                  catalog::Context& context) {
  const std::string text = fmt::format(
      "The statement was stopped: databases have sent more than {:.1f} MB for it. Go on?", megabytes(bytes));
  SLUICE_TRY(
      const std::optional<bool> proceeds,
      ask_to_proceed({.key = "confirm_more_transfer", .message = text, .title = "Read all of it"}, context));
  if (proceeds == true) return std::optional<protocol::ToolResult>();
  const json::Object facts{{"transfer_estimate", bytes}, {"transfer_estimate_kind", "at_least"}};
  return std::optional(unconfirmed(proceeds.has_value(), text, facts, alternatives(arguments)));
}

Result<std::optional<protocol::ToolResult>> confirm_loss(const json::Object& arguments,
                                                         catalog::Context& context) {
  const std::string text =
      "Only the first row of each will be kept; the others are dropped, with whatever differs in them. Go "
      "on?";
  SLUICE_TRY(const std::optional<bool> proceeds,
             ask_to_proceed({.key = "confirm_loss", .message = text, .title = "Drop the others"}, context));
  if (proceeds == true) return std::optional<protocol::ToolResult>();
  return std::optional(unconfirmed(
      proceeds.has_value(), text, {},
      alternatives_json({{.label = "Drop the others", .changes = {{"confirm", true}}}}, arguments)));
}

Result<std::optional<protocol::ToolResult>> confirm_groups(const query::Estimate& estimate,
                                                           const json::Object& arguments,
                                                           catalog::Context& context) {
  const std::string text =
      fmt::format("The answer would have about {} groups ({}), which is a lot to read. Go on?", estimate.rows,
                  query::to_string(estimate.kind));
  SLUICE_TRY(
      const std::optional<bool> proceeds,
      ask_to_proceed({.key = "confirm_groups", .message = text, .title = "Compute all groups"}, context));
  if (proceeds == true) return std::optional<protocol::ToolResult>();
  return std::optional(
      unconfirmed(proceeds.has_value(), text, estimate_facts(estimate),
                  alternatives_json({{.label = "All groups", .changes = {{"confirm", true}}}}, arguments)));
}

json::Array cheaper_questions(const Subject& subject, const json::Object& arguments) {
  json::Array out;
  for (Alternative& one : cheaper(arguments))
    out.push_back(json::Object{{"label", one.label}, {"changes", std::move(one.changes)}});
  if (std::optional<json::Object> totals = totals_by_group(subject, arguments))
    out.push_back(*std::move(totals));
  return out;
}

}  // namespace sluice::datasets

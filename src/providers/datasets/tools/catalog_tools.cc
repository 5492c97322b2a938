#include <algorithm>
#include <chrono>
#include <set>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/json/object_reader.h"
#include "sluice/json/reader.h"
#include "sluice/protocol/revision.h"
#include "sluice/query/statement.h"
#include "sluice/render/feed.h"

#include "answer/dimension_values.h"
#include "tools/tools.h"

namespace sluice::datasets {

namespace {

using query::Dataset;
using query::DatasetPtr;

constexpr std::uint64_t kCatalogLimit = 200;
// Lists among the arguments that name no dimension.
const std::set<std::string, std::less<>> kOtherLists = {"aggs", "columns", "datasets", "filters"};
constexpr std::uint64_t kSampleRows = 3;
constexpr std::size_t kDiagnosticsMax = 20;
constexpr std::size_t kTotalsListed = 12;
constexpr std::size_t kTotalsLookedAt = 50;
// Within which the files of a page are counted exactly; what is left gets an estimate.
constexpr std::chrono::milliseconds kCountingTime{300};
constexpr std::size_t kSampleCellBytes = 120;

bool passes(const Dataset& dataset, const json::Object& arguments) {
  if (!matches_dimensions(dataset, arguments)) return false;
  const json::Value* part = arguments.find("match");
  return part == nullptr || part->if_string() == nullptr ||
         to_lower_ascii(dataset.name()).find(to_lower_ascii(*part->if_string())) != std::string::npos;
}

void write_entry(json::Writer& out, const Dataset& dataset) {
  const Dataset::Identity& identity = dataset.identity();
  out.begin_object();
  write_identity(out, dataset);
  if (!identity.path.empty()) out.field("path", encode_controls(identity.path));
  out.key("row_count_approx");
  switch (dataset.count_state()) {
    case query::CountState::kExact:
      out.number(dataset.row_count()).field("row_count_kind", "exact");
      break;
    case query::CountState::kEstimated:
    case query::CountState::kGuessed:
      out.number(dataset.row_count()).field("row_count_kind", "estimate");
      break;
    case query::CountState::kUnknown:
      out.null().field("row_count_kind", "unknown");
      break;
    case query::CountState::kPending:
      out.null().field("row_count_kind", "pending");
      break;
    case query::CountState::kFailed:
      out.null().field("row_count_kind", "unreadable");
      break;
  }
  // Of a table in a database nobody may know either.
  if (identity.bytes > 0 || !identity.path.empty()) out.field("file_size_bytes", identity.bytes);
  if (identity.modified != WallTime()) out.field("last_modified_iso", format_utc(identity.modified));
  if (const std::string_view reason = dataset.count_error(); !reason.empty()) out.field("error", reason);
  out.end_object();
}

void write_roles(json::Writer& out, const query::Collection& collection, const expression::Columns& columns) {
  out.key("roles").begin_object();
  for (const query::Role& role : collection.roles) {
    const std::string column = role_column(collection, columns, role.name);
    if (!column.empty()) out.field(role.name, column);
  }
  out.end_object();
}

// Counts the rows of the datasets of one page, the smallest first: so most of them are exact when the time is
// over.
void count_page(const query::Inventory& inventory, const json::Object& arguments, std::uint64_t first,
                std::uint64_t most) {
  std::vector<DatasetPtr> page;
  std::uint64_t place = 0;
  for (const DatasetPtr& dataset : inventory.datasets()) {
    if (page.size() == most) break;
    if (passes(*dataset, arguments) && ++place > first) page.push_back(dataset);
  }
  std::sort(page.begin(), page.end(), [](const DatasetPtr& a, const DatasetPtr& b) {
    return a->identity().bytes < b->identity().bytes;
  });
  const Monotonic counting_ends = system_clock().now() + kCountingTime;
  for (const DatasetPtr& dataset : page) dataset->count_quickly(counting_ends);
}

// What there is, for a caller whose arguments fit nothing.
std::string hint_for_none(const query::Inventory& inventory) {
  if (inventory.size() == 0) return "The server has no datasets yet: its folders hold no file that it reads.";
  std::string out = fmt::format("None of the {} datasets fits these arguments.", inventory.size());
  std::set<std::string> told;
  for (const auto& collection : inventory.collections()) {
    for (const query::Dimension& dimension : collection->dimensions) {
      const std::string values = dimension_values(inventory, dimension);
      if (!values.empty() && told.insert(dimension.name).second)
        out += fmt::format(" {}: {}.", dimension.name, values);
    }
  }
  return out;
}

void write_diagnostics(json::Writer& out, const query::Inventory& inventory) {
  if (inventory.notes().empty()) return;
  out.key("diagnostics").begin_array();
  for (std::size_t i = 0; i < std::min(inventory.notes().size(), kDiagnosticsMax); ++i)
    out.string(inventory.notes()[i]);
  out.end_array();
}

// Whether a dataset has the values that a call gives for its dimensions.
bool has_given_dimensions(const Dataset& dataset, const json::Object& arguments) {
  const std::vector<query::Dimension>& dimensions = dataset.collection().dimensions;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    const json::Value* value = arguments.find(dimensions[i].name);
    if (value == nullptr) continue;
    const std::string text = value->if_string() != nullptr   ? *value->if_string()
                             : value->if_number() != nullptr ? value->if_number()->text
                                                             : std::string();
    if (text != dataset.identity().dimensions[i]) return false;
  }
  return true;
}

// Some datasets with published totals. Of many datasets only the first ones are looked at.
std::string names_with_totals(const query::Inventory& inventory) {
  std::string out;
  std::size_t listed = 0;
  std::size_t looked_at = 0;
  for (const DatasetPtr& dataset : inventory.datasets()) {
    const std::string& suffix = dataset->collection().overall_suffix;
    if (suffix.empty() || listed == kTotalsListed || ++looked_at > kTotalsLookedAt) continue;
    if (!dataset->read_beside(suffix).ok()) continue;
    (out += listed++ == 0 ? "" : ", ") += excerpt(dataset->name());
  }
  return out;
}

// A few rows to see what cells look like, within `bytes_max`; long text is cut.
Result<std::string> sample_rows(const Subject& subject, const expression::Columns& columns,
                                std::uint64_t bytes_max, const catalog::Context& context) {
  SLUICE_TRY(const query::Relation relation,
             subject.dataset->open(*subject.table, limits_of(context), nullptr));
  expression::Question some;
  for (const engine::Field& column : columns)
    some.sql += (some.sql.empty() ? "SELECT " : ", ") + engine::quote_name(column.name);
  if (some.sql.empty()) return std::string("[]");
  some.sql += " FROM data";
  SLUICE_TRY(const std::unique_ptr<engine::Rows> rows,
             subject.engine->query(query::statement_of(some, *subject.table, relation, kSampleRows),
                                   limits_of(context)));
  const Budget budget{.rows = kSampleRows, .bytes = bytes_max, .tokens = bytes_max};
  render::JsonRows out(rows->columns(), {.budget = budget, .cell_bytes_max = kSampleCellBytes});
  SLUICE_TRY([[maybe_unused]] const bool complete, render::feed(*rows, out));
  return std::move(out).take();
}

// The columns from `offset` on whose names and types fit `bytes_max`; at least one.
expression::Columns listed_columns(const expression::Columns& all, std::uint64_t offset,
                                   std::uint64_t bytes_max) {
  expression::Columns out;
  std::uint64_t bytes = 0;
  for (std::size_t i = offset; i < all.size(); ++i) {
    bytes += 2 * all[i].name.size() + engine::polars_name(all[i].type).size() + 10;
    if (bytes > bytes_max && !out.empty()) break;
    out.push_back(all[i]);
  }
  return out;
}

}  // namespace

bool matches_dimensions(const Dataset& dataset, const json::Object& arguments) {
  const std::vector<query::Dimension>& dimensions = dataset.collection().dimensions;
  for (const auto& argument : arguments) {
    const std::string& key = argument.key;
    const json::Array* wanted = argument.value.if_array();
    if (wanted == nullptr || !key.ends_with('s')) continue;
    const auto dimension = std::find_if(dimensions.begin(), dimensions.end(),
                                        [&](const query::Dimension& one) { return one.name + "s" == key; });
    if (dimension == dimensions.end()) {
      if (kOtherLists.find(key) == kOtherLists.end()) return false;
      continue;
    }
    const std::string& own =
        dataset.identity().dimensions[static_cast<std::size_t>(dimension - dimensions.begin())];
    const auto equals = [&](const json::Value& one) {
      if (one.if_string() != nullptr) return *one.if_string() == own;
      return one.if_number() != nullptr && one.if_number()->text == own;
    };
    if (std::none_of(wanted->begin(), wanted->end(), equals)) return false;
  }
  return true;
}

std::string catalog_entry_json(const Dataset& dataset) {
  dataset.count_quickly(system_clock().now() + kCountingTime);
  json::Writer out;
  write_entry(out, dataset);
  return std::move(out).take();
}

Result<protocol::ToolResult> get_catalog(const DatasetTools& tools, const json::Object& arguments,
                                         catalog::Context&) {
  const json::ObjectReader in(arguments, "");
  SLUICE_TRY(const std::optional<std::int64_t> limit, in.optional_int("limit"));
  SLUICE_TRY(const std::optional<std::int64_t> offset, in.optional_int("offset"));
  const auto first = static_cast<std::uint64_t>(std::max<std::int64_t>(0, offset.value_or(0)));
  const auto most = static_cast<std::uint64_t>(std::max<std::int64_t>(1, limit.value_or(kCatalogLimit)));
  const std::uint64_t bytes_max = tools.answer_bytes();
  std::uint64_t total = 0;
  std::uint64_t listed = 0;
  json::Writer list;
  list.begin_array();
  bool full = false;
  const query::Inventory inventory = tools.inventory();
  count_page(inventory, arguments, first, most);
  for (const DatasetPtr& dataset : inventory.datasets()) {
    if (!passes(*dataset, arguments)) continue;
    if (++total <= first || full) continue;
    full = listed == most || list.size() + catalog_entry_json(*dataset).size() > bytes_max;
    if (full) continue;
    write_entry(list, *dataset);
    ++listed;
  }
  list.end_array();
  json::Writer out;
  out.begin_object().field("total", total);
  if (first + listed < total) out.field("next_offset", first + listed);
  if (total == 0) out.field("hint", hint_for_none(inventory));
  write_diagnostics(out, inventory);
  out.raw_field("datasets", list.text()).end_object();
  return protocol::json_text_result(std::move(out).take());
}

Result<std::string> schema_json(const DatasetTools& tools, const Subject& subject, std::uint64_t offset,
                                const catalog::Context& context) {
  const Dataset& dataset = *subject.dataset;
  const expression::Columns& all = subject.table->columns;
  const std::uint64_t bytes_max = tools.answer_bytes();
  // Half of the answer is for names, the rest for everything else, a card and sample rows.
  const expression::Columns columns = listed_columns(all, offset, bytes_max / 2);
  json::Writer out;
  out.begin_object();
  write_identity(out, dataset);
  if (!dataset.collection().description.empty()) out.field("about", dataset.collection().description);
  if (!dataset.collection().unit.empty()) out.field("unit", dataset.collection().unit);
  if (!subject.table->encoding_known_by.empty() && subject.table->encoding != "UTF-8") {
    out.field("encoding", subject.table->encoding);
    out.field("encoding_known_by", subject.table->encoding_known_by);
  }
  out.key("shape").begin_array();
  if (dataset.count_state() == query::CountState::kExact) {
    out.number(dataset.row_count());
  } else {
    out.string("approx");
  }
  out.number(static_cast<std::uint64_t>(all.size())).end_array();
  std::vector<std::string> warnings = subject.table->notes;
  if (offset + columns.size() < all.size()) {
    out.field("next_offset", offset + columns.size());
    warnings.push_back(
        fmt::format("{} of {} columns are listed; offset lists the next.", columns.size(), all.size()));
  }
  if (!warnings.empty()) write_warnings(out, warnings);
  write_roles(out, dataset.collection(), all);
  write_names(out, "columns", columns);
  out.key("dtypes").begin_object();
  for (const engine::Field& column : columns) out.field(column.name, engine::polars_name(column.type));
  out.end_object();
  out.field("schema_uri", dataset.uri("schema"));
  if (!dataset.identity().path.empty()) out.field("file_path", encode_controls(dataset.identity().path));
  if (const Result<std::string> card = dataset.read_beside(".schema.json"); card.ok()) {
    const Result<json::Value> read = json::read(*card, {.bytes_max = bytes_max / 4});
    if (read.ok()) out.field("card", *read);
  }
  const std::uint64_t left = bytes_max > out.size() + 20 ? bytes_max - out.size() - 20 : 0;
  SLUICE_TRY(const std::string sample, sample_rows(subject, columns, left, context));
  out.raw_field("sample_rows", sample).end_object();
  return std::move(out).take();
}

Result<protocol::ToolResult> get_schema(const DatasetTools& tools, const json::Object& arguments,
                                        catalog::Context& context) {
  SLUICE_TRY(const Subject subject, tools.open(arguments, context));
  SLUICE_TRY(const std::optional<std::int64_t> offset,
             json::ObjectReader(arguments, "").optional_int("offset"));
  SLUICE_TRY(std::string text,
             schema_json(tools, subject,
                         static_cast<std::uint64_t>(std::max<std::int64_t>(0, offset.value_or(0))), context));
  return protocol::json_text_result(std::move(text));
}

Result<std::string> overall_json(const Dataset& dataset, std::uint64_t bytes_max) {
  SLUICE_TRY(const std::string text, dataset.read_beside(dataset.collection().overall_suffix));
  SLUICE_TRY(const json::Value value, json::read(text, {.bytes_max = bytes_max}));
  return json::to_text(value);
}

Result<protocol::ToolResult> get_dataset_overall(const DatasetTools& tools, const json::Object& arguments,
                                                 catalog::Context&) {
  json::Writer list;
  list.begin_array();
  std::uint64_t count = 0;
  bool has_more = false;
  DatasetPtr only;  // Where the call names one.
  if (const json::Value* name = arguments.find("dataset"); name != nullptr && name->if_string() != nullptr) {
    SLUICE_TRY(only, tools.locate(std::string_view(*name->if_string())));
  }
  const query::Inventory inventory = tools.inventory();
  for (const DatasetPtr& dataset : inventory.datasets()) {
    if (dataset->collection().overall_suffix.empty() || (only && dataset->name() != only->name())) continue;
    if (!has_given_dimensions(*dataset, arguments)) continue;
    const Result<std::string> overall = overall_json(*dataset, tools.answer_bytes() / 2);
    if (!overall.ok() && overall.error().kind == ErrorKind::kNotFound) continue;
    json::Writer one;
    one.begin_object();
    write_identity(one, *dataset);
    if (!dataset->collection().unit.empty()) one.field("unit", dataset->collection().unit);
    if (overall.ok()) {
      one.raw_field("overall", *overall);
    } else {
      one.field("error", "the totals are not JSON, or too large");
    }
    one.end_object();
    has_more = list.size() + one.size() > tools.answer_bytes();
    if (has_more) break;
    list.raw(one.text());
    ++count;
  }
  list.end_array();
  json::Writer out;
  out.begin_object().field("count", count);
  if (has_more) write_warnings(out, {"Not all totals fit this answer; name a dataset or a dimension."});
  if (count == 0) {
    out.field("message", "No matching overall summaries found");
    if (const std::string names = names_with_totals(inventory); !names.empty())
      out.field("hint", "There are totals of: " + names + ".");
  }
  out.raw_field("overalls", list.text()).end_object();
  return protocol::json_text_result(std::move(out).take());
}

Result<protocol::ToolResult> get_server_info(const DatasetTools& tools, const json::Object&,
                                             catalog::Context&) {
  const Limits& limits = tools.services().limits;
  json::Writer out;
  out.begin_object().field("name", "sluice").field("version", tools.services().version);
  out.key("spec_versions").begin_array();
  for (const protocol::Revision revision : protocol::kAllRevisions) out.string(protocol::to_string(revision));
  out.end_array();
  out.key("capabilities")
      .begin_object()
      .field("handles_available", true)
      .field("arrow_ipc", tools.services().arrow_ipc)
      .field("analysis_tools", tools.services().analysis_tools)
      .end_object();
  out.key("limits").begin_object();
  out.field("max_rows", limits.usual.rows).field("max_cells", limits.usual.cells);
  out.field("max_bytes", limits.usual.bytes).field("max_tokens", limits.usual.tokens);
  out.field("max_tokens_ceiling", limits.ceiling.tokens)
      .field("confirm_over_rows", limits.confirm_rows)
      .end_object();
  out.key("collections").begin_array();
  const query::Inventory inventory = tools.inventory();
  for (const auto& collection : inventory.collections()) {
    out.begin_object().field("name", collection->name).field("scheme", collection->scheme);
    out.key("dimensions").begin_array();
    for (const query::Dimension& dimension : collection->dimensions) out.string(dimension.name);
    out.end_array().end_object();
  }
  out.end_array().field("datasets", static_cast<std::uint64_t>(inventory.datasets().size())).end_object();
  return protocol::json_text_result(std::move(out).take());
}

}  // namespace sluice::datasets

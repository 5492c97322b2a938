#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/engine/sql.h"
#include "sluice/json/object_reader.h"
#include "sluice/json/writer.h"
#include "sluice/render/cell.h"

#include "change_json.h"
#include "tools.h"

namespace sluice::records_provider {

namespace {

using engine::Field;
using engine::quote_name;

constexpr std::uint64_t kUsualChanges = 100;
constexpr std::uint64_t kChangesMax = 5'000;
constexpr std::uint64_t kDiffEnvelopeBytes = 2'000;
constexpr std::size_t kChangeBytesMax = 16'000;  // Of one record, before and after.

// A column of either state. Types differ only where another program has replaced the file.
struct Pair {
  std::string name;
  bool is_before = false;
  bool is_after = false;
  bool is_text = false;  // Compared and shown as text.

  std::string side(std::string_view alias, bool is_there) const {
    if (!is_there) return "NULL";
    const std::string column = fmt::format("{}.{}", alias, quote_name(name));
    return is_text ? fmt::format("CAST({} AS VARCHAR)", column) : column;
  }
  std::string before() const { return side("a", is_before); }
  std::string after() const { return side("b", is_after); }
};

std::vector<Pair> pairs_of(const records::View& before, const records::View& after) {
  std::vector<Pair> out;
  for (const Field& column : after.columns) {
    const Field* old = before.find(column.name);
    const bool is_same = old == nullptr || engine::sql_name(old->type) == engine::sql_name(column.type);
    out.push_back({.name = column.name, .is_before = old != nullptr, .is_after = true, .is_text = !is_same});
  }
  for (const Field& column : before.columns) {
    if (after.find(column.name) == nullptr)
      out.push_back({.name = column.name, .is_before = true, .is_after = false, .is_text = false});
  }
  return out;
}

// Both states side by side, one row for each id.
class Comparison {
 public:
  static Result<Comparison> create(const records::View& before, const records::View& after,
                                   const engine::RunLimits& limits) {
    Comparison out(before, after);
    const engine::Field* id = after.find(after.id_column);
    const bool has_ids = id != nullptr && before.find(after.id_column) != nullptr;
    if (!has_ids) {
      return unsupported("compare versions: the data type has no id column in both of them")
          .with_code("no_id_column")
          .with_hint("read_audit_log lists the changes one by one.");
    }
    for (const records::View* view : {&before, &after}) {
      const std::string name = quote_name(after.id_column);
      SLUICE_TRY(
          const std::vector<std::int64_t> counted,
          out.numbers(fmt::format("SELECT count({0}) - count(DISTINCT {0}), count(*) - count({0}) FROM {1}",
                                  name, view->relation),
                      limits));
      if (counted[0] != 0 || counted[1] != 0) {
        return unsupported("compare versions: records have no id of their own")
            .with_code("no_id_column")
            .with_hint("Ids that are missing or not unique do not tell which record became which.");
      }
    }
    return out;
  }

  // Added, removed and changed records.
  Result<std::vector<std::int64_t>> counts(const engine::RunLimits& limits) const {
    return numbers(
        fmt::format("SELECT count(*) FILTER (WHERE a.\"__sluice_row\" IS NULL), count(*) FILTER (WHERE "
                    "b.\"__sluice_row\" IS NULL), count(*) FILTER (WHERE a.\"__sluice_row\" IS NOT NULL "
                    "AND b.\"__sluice_row\" IS NOT NULL) FROM {} WHERE {}",
                    joined(), differs()),
        limits);
  }

  Result<std::unique_ptr<engine::Rows>> rows(std::uint64_t offset, std::uint64_t limit,
                                             const engine::RunLimits& limits) const {
    const std::string id = quote_name(after_.id_column);
    std::string select = fmt::format(
        "SELECT a.\"__sluice_row\" IS NULL, b.\"__sluice_row\" IS NULL, coalesce(CAST(a.{0} AS VARCHAR), "
        "CAST(b.{0} "
        "AS VARCHAR))",
        id);
    for (const Pair& pair : pairs_) select += fmt::format(", {}, {}", pair.before(), pair.after());
    return after_.engine->query(
        {.sql = fmt::format(
             "{} FROM {} WHERE {} ORDER BY coalesce(b.\"__sluice_row\", a.\"__sluice_row\"), 3 LIMIT "
             "{} OFFSET {}",
             select, joined(), differs(), limit, offset),
         .parameters = {}},
        limits);
  }

  const std::vector<Pair>& pairs() const { return pairs_; }

 private:
  Comparison(const records::View& before, const records::View& after)
      : before_(before), after_(after), pairs_(pairs_of(before, after)) {}

  std::string joined() const {
    const std::string id = quote_name(after_.id_column);
    return fmt::format(
        "(SELECT * FROM {}) AS a FULL OUTER JOIN (SELECT * FROM {}) AS b ON CAST(a.{} AS VARCHAR) = "
        "CAST(b.{} AS "
        "VARCHAR)",
        before_.relation, after_.relation, id, id);
  }

  std::string differs() const {
    std::string out = "a.\"__sluice_row\" IS NULL OR b.\"__sluice_row\" IS NULL";
    for (const Pair& pair : pairs_)
      out += fmt::format(" OR {} IS DISTINCT FROM {}", pair.before(), pair.after());
    return out;
  }

  Result<std::vector<std::int64_t>> numbers(const std::string& sql, const engine::RunLimits& limits) const {
    SLUICE_TRY(const std::unique_ptr<engine::Rows> rows,
               after_.engine->query({.sql = sql, .parameters = {}}, limits));
    SLUICE_TRY(const engine::Batch* batch, rows->next());
    if (batch == nullptr) return internal_error("compare versions: the engine gave no row");
    std::vector<std::int64_t> out;
    for (const engine::Column& column : batch->columns) out.push_back(column.at<std::int64_t>(0));
    return out;
  }

  const records::View& before_;  // Both outlive this.
  const records::View& after_;
  std::vector<Pair> pairs_;
};

// {column: value} of one side: all that are not null, or where both sides are there those that differ.
std::string side_json(const engine::Batch& batch, std::size_t row, const std::vector<Pair>& pairs,
                      std::size_t side, bool is_changed) {
  json::Writer out;
  out.begin_object();
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    std::string cells[2];
    for (std::size_t k = 0; k < 2; ++k) render::append_json(cells[k], batch.columns[3 + 2 * i + k], row);
    if (is_changed ? cells[0] != cells[1] : cells[side] != "null") out.raw_field(pairs[i].name, cells[side]);
  }
  return std::move(out.end_object()).take();
}

std::string change_json(const engine::Batch& batch, std::size_t row, const std::vector<Pair>& pairs) {
  const bool is_added = batch.columns[0].at<bool>(row);
  const bool is_removed = batch.columns[1].at<bool>(row);
  const bool is_changed = !is_added && !is_removed;
  json::Writer out;
  out.begin_object().field("change", is_added ? "added" : is_removed ? "removed" : "changed");
  out.field("record_id", batch.columns[2].text(row));
  if (!is_added) write_values(out, "before", side_json(batch, row, pairs, 0, is_changed), kChangeBytesMax);
  if (!is_removed) write_values(out, "after", side_json(batch, row, pairs, 1, is_changed), kChangeBytesMax);
  return std::move(out.end_object()).take();
}

struct Changes {
  std::string json;
  std::uint64_t count = 0;
};

Result<Changes> changes_of(const Comparison& comparison, std::uint64_t offset, std::uint64_t limit,
                           std::uint64_t room, const engine::RunLimits& limits) {
  Changes out;
  SLUICE_TRY(const std::unique_ptr<engine::Rows> rows, comparison.rows(offset, limit, limits));
  while (true) {
    SLUICE_TRY(const engine::Batch* batch, rows->next());
    if (batch == nullptr) return out;
    for (std::size_t row = 0; row < batch->rows; ++row) {
      const std::string change = change_json(*batch, row, comparison.pairs());
      if (out.count > 0 && out.json.size() + change.size() > room) return out;
      out.json += (out.count > 0 ? "," : "") + change;
      ++out.count;
    }
  }
}

void write_column_changes(json::Writer& out, const std::vector<Pair>& pairs) {
  for (const bool is_added : {true, false}) {
    out.key(is_added ? "columns_added" : "columns_removed").begin_array();
    for (const Pair& pair : pairs) {
      if (is_added ? !pair.is_before : !pair.is_after) out.string(pair.name);
    }
    out.end_array();
  }
}

}  // namespace

Result<protocol::ToolResult> diff_versions(const RecordTools& tools, const json::Object& arguments,
                                           catalog::Context& context) {
  const json::ObjectReader reader(arguments, "");
  SLUICE_TRY(const std::optional<std::int64_t> from, reader.optional_int("from_version"));
  SLUICE_TRY(const std::optional<std::int64_t> to, reader.optional_int("to_version"));
  SLUICE_TRY(const std::optional<std::int64_t> limit, reader.optional_int("limit"));
  SLUICE_TRY(const std::optional<std::int64_t> first, reader.optional_int("offset"));
  const engine::RunLimits limits = limits_of(context);
  SLUICE_TRY(const Subject subject, tools.open(arguments, context));
  const std::int64_t now = subject.view.version;
  if (std::max(from.value_or(0), to.value_or(0)) > now) {
    return invalid_input(
               fmt::format("there is no version {} yet", std::max(from.value_or(0), to.value_or(0))))
        .with_code("unknown_version")
        .with_hint(fmt::format("The records have version {}.", now));
  }
  const auto at = [&](std::int64_t version) -> Result<records::View> {
    return version == now ? Result<records::View>(subject.view) : subject.data_type->view_of(version, limits);
  };
  SLUICE_TRY(const records::View before, at(from.value_or(0)));
  SLUICE_TRY(const records::View after, at(to.value_or(now)));
  SLUICE_TRY(const Comparison comparison, Comparison::create(before, after, limits));
  SLUICE_TRY(const std::vector<std::int64_t> counts, comparison.counts(limits));
  const auto offset = static_cast<std::uint64_t>(first.value_or(0));
  const std::uint64_t wanted =
      std::min(kChangesMax, limit ? static_cast<std::uint64_t>(*limit) : kUsualChanges);
  std::uint64_t room = tools.budget().bytes;
  if (!limit) room = std::min(room, tools.budget().tokens * 4);
  room -= std::min(kDiffEnvelopeBytes, room / 2);
  SLUICE_TRY(const Changes changes, changes_of(comparison, offset, wanted, room, limits));
  const auto total = static_cast<std::uint64_t>(counts[0] + counts[1] + counts[2]);
  json::Writer out;
  out.begin_object().field("data_type", subject.view.data_type).field("from_version", from.value_or(0));
  out.field("to_version", to.value_or(now)).field("id_column", after.id_column);
  out.field("added", counts[0]).field("removed", counts[1]).field("changed", counts[2]);
  write_column_changes(out, comparison.pairs());
  out.field("count", changes.count).field("total_changes", total);
  out.field("has_more", offset + changes.count < total);
  if (offset + changes.count < total) out.field("next_offset", offset + changes.count);
  out.raw_field("data", "[" + changes.json + "]").end_object();
  return protocol::json_text_result(std::move(out).take());
}

}  // namespace sluice::records_provider

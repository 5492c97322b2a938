#include "number_ids.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/engine/sql.h"

#include "rows.h"

namespace sluice::records {

namespace {

using engine::TypeId;

// The whole number that an id in JSON begins with; large ones are text there. 0 for anything else.
std::int64_t id_number_of(std::string_view id) {
  if (id.starts_with('"')) id.remove_prefix(1);
  std::int64_t out = 0;
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), out);
  return error == std::errc{} ? out : 0;
}

}  // namespace

Error id_needed(const engine::Field& column, std::string_view why) {
  return invalid_input(
             fmt::format("the record has no {}, and none can be made: {}", excerpt(column.name), why))
      .with_code("id_needed")
      .with_hint(fmt::format("Give the record a value for {}.", excerpt(column.name)));
}

Result<std::int64_t> largest_id(const View& view, const engine::Field& column,
                                const engine::RunLimits& limits) {
  const std::string name = engine::quote_name(column.name);
  const bool is_float = column.type.id == TypeId::kFloat || column.type.id == TypeId::kDouble;
  const std::string most =
      engine::is_integer(column.type.id) ? fmt::format("max({})", name) : fmt::format("floor(max({}))", name);
  const std::string sql =
      fmt::format("SELECT CAST(CAST({} AS HUGEINT) AS VARCHAR) FROM {} WHERE {} > 0{}", most, view.relation,
                  name, is_float ? fmt::format(" AND isfinite({})", name) : std::string());
  SLUICE_TRY(const std::vector<TextRow> found,
             read_texts(*view.engine, {.sql = sql, .parameters = {}}, limits));
  const std::string text = found.empty() ? "" : found.front().front();
  std::int64_t out = 0;
  if (text.empty()) return out;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc{} || end != text.data() + text.size())
    return id_needed(column, "the largest id has more than 64 bits");
  return out;
}

std::int64_t removed_id(const Operation& operation, const engine::Field* id_column) {
  if (id_column == nullptr || !engine::is_number(id_column->type.id)) return 0;
  const bool changes_id =
      std::find(operation.set.begin(), operation.set.end(), id_column->name) != operation.set.end();
  std::int64_t out = 0;
  for (const RowChange& row : operation.rows) {
    if (changes_id || row.new_values.empty()) out = std::max(out, id_number_of(row.record_id));
  }
  return out;
}

}  // namespace sluice::records

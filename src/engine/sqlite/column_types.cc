#include "column_types.h"

#include <algorithm>
#include <chrono>

#include "sluice/base/text.h"
#include "sluice/engine/bounded_pool.h"

#include "values.h"

namespace sluice::engine::sqlite {

namespace {

constexpr std::size_t kSampleRowsMax = 1'000;
constexpr std::size_t kSampleCellsMax = 200'000;
constexpr std::size_t kSampleColumnsMax = 500;         // In one statement.
constexpr std::chrono::milliseconds kSampleTime{500};  // A view may take long for its first row.

Type of(TypeId id) { return Type{.id = id}; }

std::string to_upper(std::string_view text) {
  std::string upper(text);
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return upper;
}

bool has_fraction(std::string_view declared) {  // DECIMAL(10,2), but not DECIMAL(10,0).
  const std::size_t comma = declared.find(',');
  return comma != std::string_view::npos &&
         declared.find_first_of("123456789", comma) != std::string_view::npos;
}

// As SQLite decides the affinity of a column, with one more for blobs that were declared.
Type declared_type(std::string_view upper) {
  const auto has = [&](std::string_view part) { return upper.find(part) != std::string_view::npos; };
  if (has("INT")) return of(TypeId::kInt64);
  if (has("CHAR") || has("CLOB") || has("TEXT")) return of(TypeId::kText);
  if (has("BLOB")) return of(TypeId::kBlob);
  if (has("REAL") || has("FLOA") || has("DOUB")) return of(TypeId::kDouble);
  if (has("BOOL")) return of(TypeId::kBool);
  if (has("DEC") || has("NUM") || has("MONEY")) return of(TypeId::kDouble);
  return of(TypeId::kText);
}

void look_at(sqlite3_stmt* row, int index, Seen& seen) {
  switch (sqlite3_column_type(row, index)) {
    case SQLITE_INTEGER: {
      const std::int64_t value = sqlite3_column_int64(row, index);
      seen.integer = true;
      seen.large |= value > kExactIntegerMax || value < -kExactIntegerMax;
      seen.other |= value != 0 && value != 1;
      break;
    }
    case SQLITE_FLOAT:
      seen.real = true;
      break;
    case SQLITE_TEXT:  // The name of its type stands for it.
      (sqlite3_column_bytes(row, index) == 4 && sqlite3_column_text(row, index)[0] == 'b' ? seen.blob
                                                                                          : seen.text) = true;
      break;
    default:
      break;
  }
}

}  // namespace

bool keeps_text_only(std::string_view declared) {
  const std::string upper = to_upper(declared);
  const auto has = [&](std::string_view part) { return upper.find(part) != std::string::npos; };
  return !has("INT") && (has("CHAR") || has("CLOB") || has("TEXT"));
}

Type type_of_column(std::string_view declared, const Seen& seen) {
  const std::string upper = to_upper(declared);
  Type first = declared_type(upper);
  if (seen.text) return of(TypeId::kText);
  if (seen.blob) return of(seen.real || seen.integer ? TypeId::kText : TypeId::kBlob);
  if (!seen.integer && !seen.real) return first;
  if (seen.real) return of(seen.large ? TypeId::kText : TypeId::kDouble);
  if (first.id == TypeId::kBool && !seen.other) return of(TypeId::kBool);
  // A column of text keeps no numbers, so what is seen in one was computed.
  if (first.id == TypeId::kDouble && !seen.large &&
      (has_fraction(upper) || upper.find("NUM") == std::string::npos)) {
    return of(TypeId::kDouble);
  }
  return of(TypeId::kInt64);
}

Result<std::vector<Seen>> sample_columns(Session& session, const TableLayout& layout,
                                         const RunLimits& limits) {
  std::vector<Seen> seen(layout.columns.size());
  const std::size_t rows =
      std::max<std::size_t>(20, std::min(kSampleRowsMax, kSampleCellsMax / (layout.columns.size() + 1)));
  RunLimits short_limits = limits;
  short_limits.deadline = std::min(limits.deadline, system_clock().now() + kSampleTime);
  const Session::Watch watch(session, short_limits);
  for (std::size_t from = 0; from < layout.columns.size(); from += kSampleColumnsMax) {
    const std::size_t to = std::min(from + kSampleColumnsMax, layout.columns.size());
    std::string sql = "SELECT ";
    for (std::size_t i = from; i < to; ++i) {
      const std::string name = quote_name(layout.columns[i].name);
      if (i > from) sql += ", ";
      // Neither text nor blobs are read for this.
      ((sql += "iif(typeof(") += name) += ") IN ('text', 'blob'), typeof(";
      (((sql += name) += "), ") += name) += ")";
    }
    sql += " FROM " + quote_table(layout.summary.name) + " LIMIT " + std::to_string(rows);
    SLUICE_TRY(const Prepared prepared, session.prepare({.sql = sql, .parameters = {}}, Author::kCaller));
    while (true) {
      const Result<bool> has_row = session.step(prepared.get());
      if (!has_row.ok()) {
        SLUICE_CHECK(check_limits(limits));
        if (has_row.error().kind == ErrorKind::kDeadline) return seen;
        return has_row.error();
      }
      if (!*has_row) break;
      for (std::size_t i = from; i < to; ++i) look_at(prepared.get(), static_cast<int>(i - from), seen[i]);
    }
  }
  return seen;
}

}  // namespace sluice::engine::sqlite

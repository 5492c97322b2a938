#include "tables/numeric_sample.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>

#include "sluice/engine/bounded_pool.h"

#include "values/numbers.h"

namespace sluice::engine::postgres {

namespace {

constexpr std::size_t kSampleRows = 1'000;
constexpr std::size_t kSampleColumnsMax = 500;  // In one statement; the server's bound is 1,664.
constexpr std::chrono::milliseconds kSampleTime{1'000};

ColumnType text_type() { return {.type = Type{.id = TypeId::kText}, .as_text = true, .needs_sample = false}; }

// By the most digits before and behind the point.
ColumnType type_of_digits(std::size_t whole, std::size_t fraction) {
  if (whole + fraction > kDecimalDigitsMax) return text_type();
  return {.type = Type{.id = TypeId::kDecimal,
                       .width = kDecimalDigitsMax,
                       .scale = static_cast<std::uint8_t>(fraction)},
          .as_text = false,
          .needs_sample = false};
}

// For each column the most digits of either kind, and whether all have digits: NaN has none.
std::string sample_sql(const TableLayout& layout, const std::vector<std::size_t>& columns) {
  std::string outer;
  std::string inner;
  for (const std::size_t index : columns) {
    const std::string name = quote_name(layout.columns[index].name);
    if (!outer.empty()) outer += ", ";
    ((outer += "max(scale(") += name) += ")), max(char_length(trunc(abs(";
    ((outer += name) += "))::text)), bool_or(") += name;
    outer += "::text ~ '[a-z]')";
    if (!inner.empty()) inner += ", ";
    inner += name;
  }
  return "SELECT " + outer + " FROM (SELECT " + inner + " FROM " + quote_table(layout.summary.name) +
         " LIMIT " + std::to_string(kSampleRows) + ") AS sample";
}

}  // namespace

Status sample_numerics(const Ask& ask, const TableLayout& layout, std::vector<ColumnType>& types,
                       const RunLimits& limits) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (types[i].needs_sample) open.push_back(i);
  }
  RunLimits short_limits = limits;
  short_limits.deadline = std::min(limits.deadline, system_clock().now() + kSampleTime);
  for (std::size_t from = 0; from < open.size(); from += kSampleColumnsMax) {
    const auto begin = open.begin() + static_cast<std::ptrdiff_t>(from);
    const std::vector<std::size_t> columns(
        begin, begin + static_cast<std::ptrdiff_t>(std::min(kSampleColumnsMax, open.size() - from)));
    const Result<Answer> answer = ask({sample_sql(layout, columns), {}}, short_limits);
    SLUICE_CHECK(check_limits(limits));
    const auto number = [&](std::size_t place) -> std::size_t {
      return number_of<std::size_t>(PQgetvalue(answer->get(), 0, static_cast<int>(place))).value_or(0);
    };
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const bool is_readable =
          answer.ok() && PQgetvalue(answer->get(), 0, static_cast<int>(3 * i + 2)) != std::string_view("t");
      types[columns[i]] = is_readable ? type_of_digits(number(3 * i + 1), number(3 * i)) : text_type();
    }
  }
  return {};
}

}  // namespace sluice::engine::postgres

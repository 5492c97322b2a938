#include "kept_values.h"

#include <cstddef>

#include <fmt/format.h>

namespace sluice::expression {

namespace {

constexpr std::uint64_t kKeptValuesMax = 64;

}  // namespace

Status check_kept_values(std::uint64_t kept_values) {
  if (kept_values <= kKeptValuesMax) return {};
  return invalid_input(
             fmt::format("too many medians and quantiles, each counted for every grouping set: {}, at "
                         "most {}",
                         kept_values, kKeptValuesMax))
      .with_code("expression_too_large")
      .with_hint("Ask for fewer of them at a time, or for avg.");
}

std::uint64_t count_medians(std::string_view sql) {
  constexpr std::string_view kCall = "median(";
  std::uint64_t count = 0;
  bool is_quoted = false;
  for (std::size_t i = 0; i < sql.size(); ++i) {
    if (sql[i] == '"') is_quoted = !is_quoted;
    if (!is_quoted && sql.substr(i).starts_with(kCall)) ++count;
  }
  return count;
}

}  // namespace sluice::expression

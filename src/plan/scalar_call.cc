#include "sluice/plan/scalar_call.h"

#include <algorithm>
#include <array>
#include <set>

namespace sluice::plan {

namespace {

constexpr std::array<std::string_view, kDateParts> kPartNames = {"year", "quarter", "month",  "week",
                                                                 "day",  "hour",    "minute", "second"};

}  // namespace

std::string_view name_of(DatePart part) { return kPartNames.at(static_cast<std::size_t>(part)); }

std::optional<DatePart> date_part_named(std::string_view name) {
  const auto* const found = std::find(kPartNames.begin(), kPartNames.end(), name);
  if (found == kPartNames.end()) return std::nullopt;
  return static_cast<DatePart>(found - kPartNames.begin());
}

engine::Type date_result(ScalarFunction function) {
  return {.id =
              function == ScalarFunction::kDateTrunc ? engine::TypeId::kTimestampUs : engine::TypeId::kInt64};
}

bool is_date_function(ScalarFunction function) { return function < ScalarFunction::kCoalesce; }

std::vector<std::size_t> columns_of(const ScalarCall& call) {
  std::set<std::size_t> out;
  for (const Argument& argument : call.arguments) {
    if (argument.column) out.insert(*argument.column);
  }
  for (const Condition& condition : call.conditions) {
    for (const std::size_t column : columns_of(condition)) out.insert(column);
  }
  return {out.begin(), out.end()};
}

}  // namespace sluice::plan

#include "sluice/query/advice.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "sluice/base/text.h"

#include "columns.h"

namespace sluice::query {

namespace {

using expression::AggregateFn;
using expression::Columns;

// What the `*` of a pattern stands for in a name. A pattern without one matches only itself.
std::optional<std::string> star_of(std::string_view pattern, std::string_view name) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos)
    return pattern == name ? std::optional<std::string>(std::string()) : std::nullopt;
  const std::string_view before = pattern.substr(0, star);
  const std::string_view after = pattern.substr(star + 1);
  if (name.size() <= before.size() + after.size() || !name.starts_with(before) || !name.ends_with(after))
    return std::nullopt;
  return std::string(name.substr(before.size(), name.size() - before.size() - after.size()));
}

std::string with_star(std::string_view pattern, std::string_view star) {
  const std::size_t at = pattern.find('*');
  if (at == std::string_view::npos) return std::string(pattern);
  return fmt::format("{}{}{}", pattern.substr(0, at), star, pattern.substr(at + 1));
}

bool has_number(const Columns& columns, const std::string& name) {
  return std::any_of(columns.begin(), columns.end(), [&](const engine::Field& column) {
    return column.name == name && engine::is_number(column.type.id);
  });
}

std::string part_or_itself(const Collection& collection, const Columns& columns, std::string name) {
  const std::optional<PartsOfTotal> parts = parts_of_total(collection, columns, name);
  return parts ? parts->column : std::move(name);
}

std::string_view noun(AggregateFn fn) {
  if (fn == AggregateFn::kSum) return "sum";
  return fn == AggregateFn::kMedian ? "median" : "average";
}

std::string warning_of(const expression::Aggregate& total, const Columns& columns,
                       const Collection& collection) {
  const std::string name = excerpt(total.column);
  if (const auto ratio = ratio_of_sums(collection, columns, total.column)) {
    return fmt::format(
        "{0} is a ratio, so its {1} over rows says nothing about the whole; divide sum({2}) by sum({3}).",
        name, noun(total.fn), excerpt(ratio->numerator), excerpt(ratio->denominator));
  }
  if (const auto parts = parts_of_total(collection, columns, total.column)) {
    return fmt::format(
        "{0} repeats on every row of its {1}, so this {2} counts it many times; {3}.", name,
        excerpt(parts->per), noun(total.fn),
        total.fn == AggregateFn::kSum
            ? fmt::format("sum {} instead", excerpt(parts->column))
            : fmt::format("sum {} for each {} first", excerpt(parts->column), excerpt(parts->per)));
  }
  return {};
}

}  // namespace

std::optional<PartsOfTotal> parts_of_total(const Collection& collection, const Columns& columns,
                                           std::string_view column) {
  for (const RepeatedTotal& total : collection.repeated_totals) {
    const std::optional<std::string> star = star_of(total.columns, column);
    if (!star || !has_column(columns, total.per)) continue;
    for (const std::string& part : total.parts) {
      std::string name = with_star(part, *star);
      if (name != column && has_number(columns, name))
        return PartsOfTotal{.per = total.per, .column = std::move(name)};
    }
  }
  return std::nullopt;
}

std::optional<RatioOfSums> ratio_of_sums(const Collection& collection, const Columns& columns,
                                         std::string_view column) {
  for (const Ratio& ratio : collection.ratios) {
    const std::optional<std::string> star = star_of(ratio.columns, column);
    if (!star) continue;
    RatioOfSums out{.numerator = part_or_itself(collection, columns, with_star(ratio.numerator, *star)),
                    .denominator = part_or_itself(collection, columns, with_star(ratio.denominator, *star))};
    if (has_number(columns, out.numerator) && has_number(columns, out.denominator)) return out;
  }
  return std::nullopt;
}

void add_advice(expression::Question& question, const Columns& columns, const Collection& collection) {
  for (const expression::Aggregate& total : question.totals) {
    std::string warning = warning_of(total, columns, collection);
    const bool is_known =
        std::find(question.warnings.begin(), question.warnings.end(), warning) != question.warnings.end();
    if (!warning.empty() && !is_known) question.warnings.push_back(std::move(warning));
  }
}

}  // namespace sluice::query

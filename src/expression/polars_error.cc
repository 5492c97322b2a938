#include "polars_error.h"

#include <vector>

#include "sluice/base/text.h"

namespace sluice::expression {

namespace {

constexpr std::string_view kPolarsHint =
    "Write a chain such as df.filter(pl.col(\"a\") > "
    "3).group_by(\"b\").agg(pl.col(\"c\").sum()).sort(\"c\").head(10).";
constexpr std::size_t kNamesShown = 12;

}  // namespace

Error invalid_expression(std::size_t position, std::string_view what, std::string_view hint) {
  return invalid_input("expression at character " + std::to_string(position + 1) + ": " + excerpt(what, 160))
      .with_code("invalid_expression")
      .with_hint(hint.empty() ? kPolarsHint : hint);
}

Error unknown_name(std::size_t position, std::string_view what, std::string_view name,
                   std::span<const std::string_view> allowed) {
  const std::vector<std::string> names(allowed.begin(), allowed.end());
  const std::string nearest = nearest_name(name, names);
  std::string hint = nearest.empty() ? std::string() : "Did you mean " + nearest + "? ";
  hint += "Allowed:";
  for (const std::string& one : names) hint += " " + one;
  return invalid_expression(position, std::string(what) + " is not offered: " + std::string(name),
                            hint + ".");
}

Error unknown_column(std::string_view name, std::span<const std::string> columns) {
  const std::string nearest = nearest_name(name, columns);
  std::string hint = nearest.empty() ? std::string() : "Did you mean " + nearest + "? ";
  hint += "Columns at this step:";
  for (std::size_t i = 0; i < columns.size() && i < kNamesShown; ++i) hint += " " + excerpt(columns[i]);
  if (columns.size() > kNamesShown) hint += " …";
  return invalid_input("unknown column: " + excerpt(name)).with_code("invalid_column").with_hint(hint);
}

Error expression_too_large(std::string_view what, std::size_t limit) {
  return invalid_input("expression too large: at most " + std::to_string(limit) + " " + std::string(what))
      .with_code("expression_too_large")
      .with_hint("Ask a smaller question, or several.");
}

}  // namespace sluice::expression

#include "polars_query.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sluice/base/limits.h"
#include "sluice/base/text.h"

#include "kept_values.h"
#include "polars_error.h"

namespace sluice::expression {

namespace {

constexpr std::array<std::string_view, 9> kSteps = {"filter", "select", "with_columns", "group_by", "sort",
                                                    "head",   "limit",  "unique",       "drop"};

}  // namespace

PolarsQuery::PolarsQuery(const Columns& columns) : plan_(columns) {
  for (const engine::Field& column : columns) {
    const ValueKind kind = kind_of(column.type);
    columns_.push_back(
        {.name = column.name,
         .kind = kind,
         .temporal_type = kind == ValueKind::kTemporal ? engine::sql_name(column.type) : std::string()});
  }
}

std::string PolarsQuery::all_columns() const {
  std::string out;
  for (const PolarsColumn& column : columns_)
    out += (out.empty() ? "" : ", ") + engine::quote_name(column.name);
  return out;
}

std::string PolarsQuery::source() const { return sql_.empty() ? "data" : "(" + sql_ + ")"; }

std::string PolarsQuery::numbered_source() const {
  return "(SELECT *, row_number() OVER () AS " + row_column() + " FROM " + source() + ")";
}

// A name that no column has, in whatever case.
std::string PolarsQuery::row_column() const {
  std::string name = "__row";
  const auto is_taken = [this, &name] {
    return std::any_of(columns_.begin(), columns_.end(), [&name](const PolarsColumn& column) {
      return equal_ignoring_case(column.name, name);
    });
  };
  while (is_taken()) name += '_';
  return engine::quote_name(name);
}

PolarsExpressions PolarsQuery::expressions(PolarsExpressions::Aggregates aggregates) {
  return {{.columns = columns_, .row_column = row_column()}, parameters_, aggregates};
}

void PolarsQuery::replace(std::string sql) {
  sql_ = std::move(sql);
  has_limit_ = false;
}

Status PolarsQuery::add(Output& output, const PolarsNode& at, PolarsValue value) const {
  for (const PolarsColumn& column : output.columns) {
    if (!equal_ignoring_case(column.name, value.name)) continue;
    return invalid_expression(at.position, "two columns named " + value.name,
                              "Give one of them .alias(\"…\").");
  }
  output.list += (output.list.empty() ? "" : ", ") + value.sql + " AS " + engine::quote_name(value.name);
  output.columns.push_back(
      {.name = std::move(value.name), .kind = value.kind, .temporal_type = std::move(value.temporal_type)});
  return {};
}

Result<std::vector<std::string>> PolarsQuery::column_names(const std::vector<const PolarsNode*>& nodes) {
  PolarsExpressions known = expressions(PolarsExpressions::Aggregates::kOfWindows);
  std::vector<std::string> out;
  for (const PolarsNode* node : nodes) {
    const bool is_column =
        node->kind == PolarsKind::kText ||
        (node->kind == PolarsKind::kCall && node->children.size() == 2 && node->children[0].text == "col");
    if (!is_column) return invalid_expression(node->position, "the name of a column is expected");
    SLUICE_TRY(PolarsValue value, known.compile_or_column(*node));
    out.push_back(std::move(value.name));
  }
  return out;
}

Result<std::size_t> PolarsQuery::apply(const PolarsStep& step, const PolarsStep* next) {
  const PolarsNode& call = *step.call;
  std::size_t taken = 1;
  if (step.name == "filter") {
    SLUICE_CHECK(filter(call));
  } else if (step.name == "select") {
    SLUICE_CHECK(select(call));
  } else if (step.name == "with_columns") {
    SLUICE_CHECK(with_columns(call));
  } else if (step.name == "group_by") {
    if (next == nullptr || (next->name != "agg" && next->name != "len")) {
      return invalid_expression(call.position, "group_by without agg",
                                "Write .group_by(\"a\").agg(pl.len()).");
    }
    SLUICE_CHECK(group(call, *next));
    taken = 2;
  } else if (step.name == "sort") {
    SLUICE_CHECK(sort(call));
  } else if (step.name == "head" || step.name == "limit") {
    SLUICE_CHECK(head(call));
  } else if (step.name == "unique") {
    SLUICE_CHECK(unique(call));
  } else if (step.name == "drop") {
    SLUICE_CHECK(drop(call));
  } else {
    return unknown_name(call.position, "the step", step.name, kSteps);
  }
  if (sql_.size() > kExpressionSqlBytesMax)
    return expression_too_large("bytes of SQL", kExpressionSqlBytesMax);
  return taken;
}

Result<Question> PolarsQuery::finish(const plan::Guard& guard) && {
  const std::uint64_t kept_values = count_medians(sql_);
  SLUICE_CHECK(check_kept_values(kept_values));
  Question question{.sql = std::move(sql_),
                    .parameters = std::move(parameters_),
                    .rows_max = rows_max_,
                    .kept_values = kept_values,
                    .language = Language::kPolars};
  if (question.sql.empty()) question.sql = "SELECT * FROM data";
  question.guard = guard;
  question.plan = plan::physical_plan(std::move(plan_).finish(question.sql), guard);
  // Which groups a limit keeps depends on the order in which they were seen.
  question.is_order_free = question.plan && plan::is_grouped(*question.plan) &&
                           !std::holds_alternative<plan::Limit>(question.plan->op);
  return question;
}

}  // namespace sluice::expression

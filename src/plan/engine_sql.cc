#include "sluice/plan/engine_sql.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"

#include "block.h"
#include "engine_scalar.h"
#include "joined_scans.h"

namespace sluice::plan {

namespace {

using engine::Field;
using engine::quote_name;
using engine::TypeId;

bool is_float(TypeId id) { return id == TypeId::kFloat || id == TypeId::kDouble; }

// A compensated sum or average: however the work was divided, results differ in the last digit at most.
// Compensation turns an infinity into NaN (inf - inf), so the plain function decides about such sums.
std::string compensated(std::string_view fn, const std::string& name) {
  return fmt::format("CASE WHEN isnan(f{0}({1})) THEN {0}({1}) ELSE f{0}({1}) END", fn, name);
}

// How a median is computed exactly: the two values in the middle as decimals of so many digits.
struct MedianDigits {
  int width = 0;
  int scale = 0;
};

// The engine computes the median of wide numbers in floating point, and rounds that of decimals to their own
// scale. A sum of two values takes one digit more and its half another one.
std::optional<MedianDigits> median_digits(const engine::Type& type) {
  constexpr int kDigitsMax = 36;
  constexpr int kLongDigits = 20;
  constexpr int kWideDigits = 19;  // Results of decimals of up to 18 digits overflow beyond 18.
  switch (type.id) {
    case TypeId::kInt64:
    case TypeId::kUInt64:
      return MedianDigits{.width = kLongDigits, .scale = 0};
    case TypeId::kInt128:
    case TypeId::kUInt128:
      return MedianDigits{.width = kDigitsMax, .scale = 0};
    case TypeId::kDecimal:
      if (type.scale > kDigitsMax) return std::nullopt;
      return MedianDigits{.width = std::clamp<int>(type.width, kWideDigits, kDigitsMax), .scale = type.scale};
    default:
      return std::nullopt;
  }
}

std::string median_call(const Field& column) {
  const std::string name = quote_name(column.name);
  const std::optional<MedianDigits> digits = median_digits(column.type);
  if (!digits) return fmt::format("median({})", name);
  // The second fraction is 1/2 + 2^-34: of an even number of values it is the upper one in the middle, of up
  // to 2^33 values.
  const std::string middle = fmt::format("quantile_disc({}, [5e-1, 5.000000000582077e-1])", name);
  return fmt::format(
      "(CAST({0}[1] AS DECIMAL({1},{2})) + CAST({0}[2] AS DECIMAL({1},{2}))) * CAST(0.5 AS "
      "DECIMAL(1,1))",
      middle, digits->width, digits->scale);
}

std::string aggregate_sql(const AggregateCall& call, const Columns& columns) {
  if (call.function == AggregateFunction::kCountRows) return "count(*)";
  const Field& column = columns[call.column];
  const std::string name = quote_name(column.name);
  switch (call.function) {
    case AggregateFunction::kSum:
      return is_float(column.type.id) ? compensated("sum", name) : fmt::format("sum({})", name);
    case AggregateFunction::kAvg:
      return is_float(column.type.id) ? compensated("avg", name) : fmt::format("avg({})", name);
    case AggregateFunction::kMin:
      return fmt::format("min({})", name);
    case AggregateFunction::kMax:
      return fmt::format("max({})", name);
    case AggregateFunction::kMedian:
      return median_call(column);
    case AggregateFunction::kCountRows:
    case AggregateFunction::kCount:
      return fmt::format("count({})", name);
    case AggregateFunction::kCountDistinct:
      return fmt::format("count(DISTINCT {})", name);
    case AggregateFunction::kBoolAnd:
      return fmt::format("bool_and({})", name);
    case AggregateFunction::kBoolOr:
      return fmt::format("bool_or({})", name);
    case AggregateFunction::kSumOrZero:
      return fmt::format("coalesce({}, 0)",
                         is_float(column.type.id) ? compensated("sum", name) : fmt::format("sum({})", name));
    case AggregateFunction::kCountDistinctWithNull:
      return fmt::format("count(DISTINCT {0}) + CASE WHEN count(*) > count({0}) THEN 1 ELSE 0 END", name);
  }
  return {};
}

std::string names_at(const std::vector<std::size_t>& positions, const Columns& columns) {
  std::string out;
  for (const std::size_t at : positions) (out += out.empty() ? "" : ", ") += quote_name(columns[at].name);
  return out;
}

class SelectPrinter {
 public:
  // Placeholders are numbered behind those of `parameters`, to which theirs are added.
  SelectPrinter(const Block& block, std::vector<engine::Parameter> parameters) : block_(block) {
    out_.parameters = std::move(parameters);
  }

  engine::Statement print() {
    // The rows of a table are numbered where their order counts.
    const bool is_numbered = block_.is_table() && block_.aggregate == nullptr && block_.distinct == nullptr &&
                             (block_.first_of_each != nullptr || block_.sort != nullptr);
    from_ = block_.is_join()                    ? joined()
            : block_.set_operation() != nullptr ? both_sides(*block_.set_operation())
            : is_numbered                       ? "numbered"
                                                : std::get<Scan>(block_.from->op).table;
    if (block_.compute != nullptr) from_ = computed();
    std::string where;
    if (block_.filter != nullptr) {
      where = " WHERE " + engine_condition(*block_.filter, block_.scanned(), out_.parameters);
    }
    if (block_.aggregate != nullptr) {
      out_.sql = groups(where);
    } else if (block_.distinct != nullptr) {
      out_.sql = fmt::format("SELECT DISTINCT {} FROM {}{}", selected(), from_, where) + order_outputs();
    } else {
      out_.sql = rows(where);
      if (has_names()) project_all();
    }
    return std::move(out_);
  }

 private:
  // What is computed of the rows beside their columns, so that the other clauses name it as one of them.
  std::string computed() {
    std::string where;
    if (block_.inner_filter != nullptr)
      where = " WHERE " + engine_condition(*block_.inner_filter, block_.from->columns, out_.parameters);
    return fmt::format("(SELECT *, {} FROM {}{}) AS computed",
                       fmt::join(engine_scalars(*block_.compute, out_.parameters), ", "), from_, where);
  }

  std::string both_sides(const SetOperation& set) {
    const std::string left = side(*set.left);
    return fmt::format("(SELECT * FROM ({}) AS one {} SELECT * FROM ({}) AS other) AS rows", left,
                       set_operator(set), side(*set.right));
  }

  // NOLINTNEXTLINE(misc-no-recursion): as deep as set operations are nested.
  std::string side(const Node& node) {
    const std::optional<Block> block = block_of(node);
    engine::Statement statement = SelectPrinter(*block, std::move(out_.parameters)).print();
    out_.parameters = std::move(statement.parameters);
    return std::move(statement.sql);
  }

  // The tables of a join as one, with the columns of the join.
  std::string joined() {
    std::string columns;
    std::string tables;
    std::size_t number = 0;
    for (const JoinedScan& scan : joined_scans(*block_.from)) {
      const std::string alias = fmt::format("t{}", number++);
      for (std::size_t i = 0; i < scan.scan->columns.size(); ++i) {
        columns += fmt::format("{}{}.{} AS {}", columns.empty() ? "" : ", ", alias,
                               quote_name(scan.scan->columns[i].name),
                               quote_name(block_.from->columns[scan.first + i].name));
      }
      if (scan.join != nullptr) tables += scan.join->kind == JoinKind::kInner ? " JOIN " : " LEFT JOIN ";
      tables += filtered(scan) + " AS " + alias;
      if (scan.join != nullptr) tables += " ON " + keys_sql(scan, alias);
    }
    return fmt::format("(SELECT {} FROM {}) AS joined", columns, tables);
  }

  std::string filtered(const JoinedScan& scan) {
    if (scan.filter == nullptr) return scan.table();
    return fmt::format("(SELECT * FROM {} WHERE {})", scan.table(),
                       engine_condition(*scan.filter, scan.scan->columns, out_.parameters));
  }

  std::string keys_sql(const JoinedScan& scan, const std::string& alias) const {
    const std::vector<JoinedScan> all = joined_scans(*block_.from);
    std::string out;
    for (const JoinKey& key : scan.join->keys) {
      std::size_t left = 0;  // The table of the left column.
      while (all[left + 1].first <= key.left) ++left;
      out += fmt::format("{}t{}.{} = {}.{}", out.empty() ? "" : " AND ", left,
                         quote_name(all[left].scan->columns[key.left - all[left].first].name), alias,
                         quote_name(scan.scan->columns[key.right].name));
    }
    return out;
  }

  bool has_names() const { return block_.project != nullptr && !block_.project->names.empty(); }

  // Selects the outputs of all scanned columns, which the statement gives so far. Behind ORDER BY, a new name
  // would hide a column of that name. A subquery keeps the order of its rows.
  void project_all() {
    out_.sql = fmt::format("SELECT {} FROM ({}) AS answer", renamed(block_.scanned()), out_.sql);
  }

  std::string renamed(const Columns& columns) const {
    std::string out;
    for (std::size_t i = 0; i < block_.project->columns.size(); ++i) {
      (out += out.empty() ? "" : ", ") += quote_name(columns[block_.project->columns[i]].name);
      if (has_names()) out += " AS " + quote_name(block_.project->names[i]);
    }
    return out;
  }

  std::string selected() const {
    if (block_.project != nullptr && (!has_names() || block_.distinct != nullptr))
      return renamed(block_.scanned());
    std::string out;
    for (const Field& column : block_.scanned()) (out += out.empty() ? "" : ", ") += quote_name(column.name);
    return out;
  }

  std::string groups(const std::string& where) {
    const std::string keys = names_at(block_.aggregate->keys, block_.scanned());
    std::string outputs = keys;
    for (const AggregateCall& call : block_.aggregate->calls) {
      outputs += fmt::format("{}{} AS {}", outputs.empty() ? "" : ", ", aggregate_sql(call, block_.scanned()),
                             quote_name(call.name));
    }
    const std::string sql =
        fmt::format("SELECT {} FROM {}{}{}", outputs, from_, where, keys.empty() ? "" : " GROUP BY " + keys);
    if (block_.project == nullptr && block_.having == nullptr) return sql + order_outputs();
    std::string having;
    if (block_.having != nullptr)
      having = " WHERE " +
               engine_condition(block_.having->condition, block_.having->input->columns, out_.parameters);
    // They may be sorted by a column that is not shown.
    const std::string list = block_.project == nullptr ? "*" : renamed(block_.project->input->columns);
    return fmt::format("SELECT {} FROM ({}) AS answer{}{}", list, sql, having, order_outputs());
  }

  std::string rows(const std::string& where) {
    const bool is_numbered = block_.is_table() && (block_.first_of_each != nullptr || block_.sort != nullptr);
    std::string sql = fmt::format("SELECT {} FROM {}{}", selected(), from_, where);
    if (!block_.is_table() && block_.sort != nullptr)
      return sql + " ORDER BY " + sort_terms(block_.scanned());
    if (!is_numbered) return sql;
    const std::string row = quote_name(row_column(block_.from->columns));
    if (block_.first_of_each != nullptr) {
      sql += fmt::format(" QUALIFY row_number() OVER (PARTITION BY {} ORDER BY {}) = 1",
                         names_at(block_.first_of_each->keys, block_.scanned()), row);
    }
    if (block_.sort == nullptr) return sql;
    std::string terms = sort_terms(block_.scanned());
    if (block_.sort->then_by_row) (terms += terms.empty() ? "" : ", ") += row;
    return sql + " ORDER BY " + terms;
  }

  // Of groups and distinct rows: the sort is over what they yield.
  std::string order_outputs() {
    if (block_.sort == nullptr) return {};
    return " ORDER BY " + sort_terms(block_.sort->input->columns);
  }

  std::string sort_terms(const Columns& columns) {
    std::string out;
    for (const SortKey& key : block_.sort->keys)
      (out += out.empty() ? "" : ", ") += sort_term(key, quote_name(columns[key.column].name));
    return out;
  }

  std::string sort_term(const SortKey& key, const std::string& name) {
    const std::string_view direction = key.descending ? "DESC" : "ASC";
    if (key.order.empty())
      return fmt::format("{} {} {}", name, direction, key.nulls_first ? "NULLS FIRST" : "NULLS LAST");
    out_.parameters.emplace_back(key.order);
    return fmt::format("({0} IS NULL) {1}, list_position(${2}, CAST({0} AS VARCHAR)) {3} NULLS LAST", name,
                       key.nulls_first ? "DESC" : "ASC", out_.parameters.size(), direction);
  }

  const Block& block_;
  engine::Statement out_;
  std::string from_;  // The table, or those of a join.
};

}  // namespace

std::string row_column(const Columns& columns) {
  std::string name = "sluice_row";
  const auto is_taken = [&](const Field& column) { return equal_ignoring_case(column.name, name); };
  while (std::any_of(columns.begin(), columns.end(), is_taken)) name += '_';
  return name;
}

engine::Statement engine_sql(const PhysicalPlan& plan, std::vector<engine::Parameter> of_relations) {
  if (const auto* query = std::get_if<EngineQuery>(&plan->op)) return {.sql = query->sql, .parameters = {}};
  const std::optional<Block> block = block_of(*plan);
  return block ? SelectPrinter(*block, std::move(of_relations)).print() : engine::Statement{};
}

std::string limit_sql(std::optional<std::uint64_t> rows, std::uint64_t offset) {
  std::string out;
  if (rows && *rows < INT64_MAX) out += fmt::format(" LIMIT {}", *rows);
  if (offset > 0) out += fmt::format(" OFFSET {}", std::min<std::uint64_t>(offset, INT64_MAX));
  return out;
}

}  // namespace sluice::plan

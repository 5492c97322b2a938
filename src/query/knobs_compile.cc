#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/query/advice.h"
#include "sluice/query/knobs.h"

#include "columns.h"
#include "filter_sql.h"
#include "numbered.h"

namespace sluice::query {

namespace {

using engine::Field;
using engine::quote_name;
using engine::TypeId;
using expression::Columns;
using expression::Question;

// Names come from data: what they hold may not shape a sentence.
std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) (out += out.empty() ? "" : ", ") += excerpt(name);
  return out + ".";
}

std::string join(const std::vector<std::string>& parts, std::string_view between) {
  std::string out;
  for (const std::string& part : parts) {
    if (!out.empty()) out += between;
    out += part;
  }
  return out;
}

std::string_view name_of(AggregateFn fn) {
  switch (fn) {
    case AggregateFn::kSum:
      return "sum";
    case AggregateFn::kAvg:
      return "avg";
    case AggregateFn::kMin:
      return "min";
    case AggregateFn::kMax:
      return "max";
    case AggregateFn::kMedian:
      return "median";
    case AggregateFn::kCount:
      return "count";
    case AggregateFn::kCountDistinct:
      return "count_distinct";
  }
  return "";
}

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

std::string aggregate_call(AggregateFn fn, const Field& column) {
  const std::string name = quote_name(column.name);
  switch (fn) {
    case AggregateFn::kSum:
      return is_float(column.type.id) ? compensated("sum", name) : fmt::format("sum({})", name);
    case AggregateFn::kAvg:
      return is_float(column.type.id) ? compensated("avg", name) : fmt::format("avg({})", name);
    case AggregateFn::kMin:
      return fmt::format("min({})", name);
    case AggregateFn::kMax:
      return fmt::format("max({})", name);
    case AggregateFn::kMedian:
      return median_call(column);
    case AggregateFn::kCount:
      return fmt::format("count({})", name);
    case AggregateFn::kCountDistinct:
      return fmt::format("count(DISTINCT {})", name);
  }
  return "";
}

class Compiler {
 public:
  Compiler(const Knobs& knobs, const Table& table, const Collection& collection)
      : knobs_(knobs), table_(table), collection_(collection) {}

  Result<Question> compile() {
    SLUICE_CHECK(add_filters());
    if (knobs_.grouped) {
      SLUICE_CHECK(grouped());
    } else {
      SLUICE_CHECK(plain());
    }
    add_limit();
    warn_of_missing_order();
    add_advice(question_, table_.columns, collection_);
    question_.kept_values = static_cast<std::uint64_t>(
        std::count_if(knobs_.aggregates.begin(), knobs_.aggregates.end(),
                      [](const Aggregate& each) { return each.fn == AggregateFn::kMedian; }));
    // A source that answers by itself names aggregates by output_name(); it must not answer in other names.
    question_.asked = std::make_shared<const Question::Asked>(
        Question::Asked{.knobs = knobs_, .sql = has_renamed_ ? "" : question_.sql});
    return std::move(question_);
  }

 private:
  Result<const Field*> column(std::string_view name) const { return find_column(table_.columns, name); }

  Status add_filters() {
    for (const Filter& filter : knobs_.filters) {
      SLUICE_TRY(const Field* field, column(filter.column));
      SLUICE_TRY(conditions_.emplace_back(), filter_sql(filter, *field, question_));
    }
    return {};
  }

  Result<std::string> aggregate_sql(const Aggregate& aggregate) {
    if (aggregate.column.empty()) return std::string("count(*)");
    SLUICE_TRY(const Field* field, column(aggregate.column));
    const bool needs_number = aggregate.fn == AggregateFn::kSum || aggregate.fn == AggregateFn::kAvg;
    const bool needs_order = aggregate.fn == AggregateFn::kMedian;
    const TypeId id = field->type.id;
    if ((needs_number && !engine::is_number(id)) ||
        (needs_order && !engine::is_number(id) && !engine::is_temporal(id))) {
      return invalid_input(fmt::format("{} of {}: the column is {}", name_of(aggregate.fn), field->name,
                                       engine::polars_name(field->type)))
          .with_code("invalid_aggregate")
          .with_hint("Use count, count_distinct, min or max, or another column.");
    }
    if (aggregate.fn == AggregateFn::kSum || aggregate.fn == AggregateFn::kAvg ||
        aggregate.fn == AggregateFn::kMedian)
      question_.totals.push_back({.column = field->name, .fn = aggregate.fn});
    return aggregate_call(aggregate.fn, *field);
  }

  Status grouped() {
    if (knobs_.distinct || knobs_.deduplicate) {
      return invalid_input("distinct and deduplicate do not go with group_by or aggs")
          .with_code("invalid_arguments")
          .with_hint("Groups are distinct already.");
    }
    std::vector<std::string> outputs;
    std::vector<std::string> keys;
    const auto add = [&](std::string sql, const std::string& name) {
      if (!outputs_.insert(name).second) return;
      outputs.push_back(fmt::format("{} AS {}", std::move(sql), quote_name(name)));
    };
    for (const std::string& name : knobs_.group_by) {
      SLUICE_TRY(const Field* field, column(name));
      if (knobs_.drop_nulls) conditions_.push_back(quote_name(field->name) + " IS NOT NULL");
      if (!outputs_.contains(field->name)) keys.push_back(quote_name(field->name));
      add(quote_name(field->name), field->name);
    }
    const std::vector<NamedAggregate> aggregates = named_aggregates(knobs_);
    for (const auto& [aggregate, name] : aggregates) {
      SLUICE_TRY(std::string sql, aggregate_sql(aggregate));
      if (knobs_.drop_nulls && !aggregate.column.empty()) {
        conditions_.push_back(quote_name(aggregate.column) + " IS NOT NULL");
      }
      if (name != output_name(aggregate)) note_renamed(output_name(aggregate), name);
      add(std::move(sql), name);
    }
    question_.sql = fmt::format("SELECT {} FROM data{}", join(outputs, ", "), where());
    if (!keys.empty()) question_.sql += " GROUP BY " + join(keys, ", ");
    if (keys.empty()) question_.rows_max = 1;
    return order_outputs(keys);
  }

  void note_renamed(const std::string& taken, const std::string& name) {
    has_renamed_ = true;
    question_.warnings.push_back(
        fmt::format("The result already has a column {}, so the aggregate of that name is called {}.",
                    excerpt(taken), excerpt(name)));
  }

  Status plain() {
    std::vector<std::string> names = knobs_.columns;
    if (names.empty()) {
      for (const Field& field : table_.columns) names.push_back(field.name);
    }
    std::vector<std::string> selected;
    for (const std::string& name : names) {
      SLUICE_TRY(const Field* field, column(name));
      if (!outputs_.insert(field->name).second) continue;
      selected.push_back(quote_name(field->name));
      if (knobs_.drop_nulls) conditions_.push_back(selected.back() + " IS NOT NULL");
    }
    const std::string list = join(selected, ", ");
    if (knobs_.distinct) {
      question_.sql = fmt::format("SELECT DISTINCT {} FROM data{}", list, where());
      return order_outputs(selected);
    }
    const bool numbered = knobs_.deduplicate || !knobs_.order_by.empty();
    question_.sql = fmt::format("SELECT {} FROM {}{}", list, numbered ? "numbered" : "data", where());
    if (!numbered) return {};
    const std::string row = quote_name(row_column(table_.columns));
    if (knobs_.deduplicate) {
      SLUICE_TRY(const std::string by, deduplication_keys(list));
      question_.sql += fmt::format(" QUALIFY row_number() OVER (PARTITION BY {} ORDER BY {}) = 1", by, row);
    }
    return order_rows(row);
  }

  Result<std::string> deduplication_keys(const std::string& all) {
    std::vector<std::string> keys;
    for (const std::string& name : knobs_.deduplicate_by) {
      SLUICE_TRY(const Field* field, column(name));
      keys.push_back(quote_name(field->name));
    }
    if (keys.empty()) return all;
    question_.is_lossy = true;
    return join(keys, ", ");
  }

  Status order_rows(const std::string& row) {
    std::vector<std::string> terms;
    for (const Order& order : knobs_.order_by) {
      SLUICE_TRY(const Field* field, column(order.column));
      terms.push_back(order_term(field->name, order.descending));
    }
    terms.push_back(row);
    question_.sql += " ORDER BY " + join(terms, ", ");
    return {};
  }

  // Groups and distinct rows: by what was asked, then by their keys.
  Status order_outputs(const std::vector<std::string>& keys) {
    std::vector<std::string> terms;
    for (const Order& order : knobs_.order_by) {
      if (!outputs_.contains(order.column)) {
        const std::vector<std::string> known(outputs_.begin(), outputs_.end());
        const std::string nearest = nearest_name(order.column, known);
        return invalid_input(fmt::format("order_by: not a column of the answer: {}", excerpt(order.column)))
            .with_code("invalid_column")
            .with_hint(nearest.empty() ? "Known: " + listed(known)
                                       : "Did you mean " + excerpt(nearest) + "?");
      }
      terms.push_back(order_term(order.column, order.descending));
    }
    for (const std::string& key : keys) terms.push_back(key + " NULLS LAST");
    if (!terms.empty()) question_.sql += " ORDER BY " + join(terms, ", ");
    return {};
  }

  static std::string order_term(const std::string& name, bool descending) {
    return quote_name(name) + (descending ? " DESC NULLS LAST" : " ASC NULLS LAST");
  }

  std::string where() const { return conditions_.empty() ? "" : " WHERE " + join(conditions_, " AND "); }

  void warn_of_missing_order() {
    const bool is_ordered = !table_.layout || !table_.layout->row_order.empty();
    if (is_ordered || knobs_.grouped || knobs_.distinct) return;
    const bool is_cut = knobs_.limit || knobs_.offset > 0;
    if (!knobs_.deduplicate && (!is_cut || !knobs_.order_by.empty())) return;
    question_.warnings.emplace_back(
        "This table or view has no key, so its rows have no fixed order: the same call may return other rows "
        "another time. order_by fixes the order.");
  }

  void add_limit() {
    question_.is_grouped = knobs_.grouped;
    question_.limit = knobs_.limit;
    question_.offset = knobs_.offset;
    if (knobs_.limit)
      question_.rows_max = std::min(question_.rows_max.value_or(*knobs_.limit), *knobs_.limit);
    question_.keeps_rows = conditions_.empty() && !knobs_.grouped && !knobs_.distinct && !knobs_.deduplicate;
  }

  const Knobs& knobs_;
  const Table& table_;
  const Collection& collection_;
  Question question_;
  std::vector<std::string> conditions_;
  std::set<std::string> outputs_;
  bool has_renamed_ = false;
};

}  // namespace

std::string row_column(const Columns& columns) {
  std::string name = "sluice_row";
  while (has_column(columns, name)) name += '_';
  return name;
}

std::string output_name(const Aggregate& aggregate) {
  if (aggregate.column.empty()) return "count";
  return fmt::format("{}_{}", aggregate.column, name_of(aggregate.fn));
}

std::vector<NamedAggregate> named_aggregates(const Knobs& knobs) {
  std::set<std::string> taken;  // In lower case: the engine does not tell "Count" from "count".
  for (const std::string& name : knobs.group_by) taken.insert(to_lower_ascii(name));
  std::vector<Aggregate> aggregates = knobs.aggregates;
  if (aggregates.empty()) aggregates.push_back({.fn = AggregateFn::kCount});
  std::vector<NamedAggregate> out;
  std::set<std::string> seen;
  for (const Aggregate& aggregate : aggregates) {
    const std::string usual = output_name(aggregate);
    if (!seen.insert(usual).second) continue;
    std::string name = usual;
    for (int i = 2; !taken.insert(to_lower_ascii(name)).second; ++i) name = fmt::format("{}_{}", usual, i);
    out.push_back({.aggregate = aggregate, .name = std::move(name)});
  }
  return out;
}

Result<const Field*> find_column(const Columns& columns, std::string_view name) {
  std::vector<std::string> known;
  for (const Field& field : columns) {
    if (field.name == name) return &field;
    known.push_back(field.name);
  }
  constexpr std::size_t kListed = 40;
  const std::string nearest = nearest_name(name, known);
  if (known.size() > kListed) known.resize(kListed);
  return invalid_input(fmt::format("unknown column: {}", excerpt(name)))
      .with_code("invalid_column")
      .with_hint(nearest.empty() ? "Columns: " + listed(known) : "Did you mean " + excerpt(nearest) + "?");
}

Result<Question> compile(const Knobs& knobs, const Table& table, const Collection& collection) {
  return Compiler(knobs, table, collection).compile();
}

}  // namespace sluice::query

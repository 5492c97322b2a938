#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/engine/sql.h"

#include "polars_tree.h"
#include "polars_value.h"

namespace sluice::expression {

// What an expression is made of, before it is compiled.
struct PolarsShape {
  bool has_column = false;     // Outside aggregates: it has a value for each row.
  bool has_aggregate = false;  // Inside `over` as well.
};
PolarsShape shape_of(const PolarsNode& node);

// The arguments of a call, taken one by one; what is left over is refused.
class PolarsArguments {
 public:
  // `call` outlives the arguments.
  explicit PolarsArguments(const PolarsNode& call);

  const PolarsNode* next();                        // The next without a name, or null.
  const PolarsNode* named(std::string_view name);  // Null where absent.
  const PolarsNode* next_or_named(std::string_view name);
  // For calls that take any number: all without a name, lists opened, and all with one.
  std::vector<const PolarsNode*> rest();
  std::vector<std::pair<std::string, const PolarsNode*>> rest_named();
  Result<bool> flag(std::string_view name, bool otherwise);
  Status finish() const;

 private:
  const PolarsNode& call_;
  std::vector<bool> is_taken_;
};

// Compiles expressions over the columns of one relation. Values become parameters.
class PolarsExpressions {
 public:
  enum class Aggregates : std::uint8_t {
    kOfGroups,   // sum(x)
    kOfWindows,  // sum(x) OVER (…): the value of the whole, beside each row.
  };
  struct Relation {
    const std::vector<PolarsColumn>& columns;
    std::string row_column;  // The quoted name of the number of a row, once it is needed.
  };

  PolarsExpressions(const Relation& relation, std::vector<engine::Parameter>& parameters,
                    Aggregates aggregates);

  Result<PolarsValue> compile(const PolarsNode& node);
  // Text names a column here, as it does in select, sort and group_by.
  Result<PolarsValue> compile_or_column(const PolarsNode& node);
  Result<PolarsValue> column(std::string_view name);

  bool needs_rows() const { return needs_rows_ || has_window_; }  // A window leaves rows in any order.

 private:
  Result<PolarsValue> compile_part(const PolarsNode& node);
  Result<PolarsValue> literal(const PolarsNode& node);
  Result<PolarsValue> call(const PolarsNode& node);
  Result<PolarsValue> of_polars(const PolarsNode& node, const std::string& name);

  // polars_operator.cc
  Result<PolarsValue> unary(const PolarsNode& node);
  Result<PolarsValue> binary(const PolarsNode& node);
  Result<PolarsValue> arithmetic(const PolarsNode& node, PolarsValue left, const PolarsValue& right);
  Status make_comparable(const PolarsNode& node, PolarsValue& left, PolarsValue& right) const;

  // polars_method.cc
  Result<PolarsValue> method(const PolarsNode& node, const std::string& name);
  Result<PolarsValue> text_method(const PolarsNode& node, const std::string& name);
  Result<PolarsValue> is_in(const PolarsNode& node, PolarsValue value, PolarsArguments& arguments);
  Result<PolarsValue> is_between(const PolarsNode& node, PolarsValue value, PolarsArguments& arguments);
  Result<PolarsValue> bound(const PolarsNode& node);
  Result<PolarsValue> round(const PolarsNode& node, PolarsValue value, PolarsArguments& arguments);
  Result<PolarsValue> cast(const PolarsNode& node, PolarsValue value, PolarsArguments& arguments);
  Result<PolarsValue> contains(const PolarsNode& node, PolarsValue value, PolarsArguments& arguments);

  // polars_aggregate.cc
  Result<PolarsValue> aggregate(const PolarsNode& node, const std::string& name, const PolarsNode& input);
  Result<PolarsValue> aggregate_of(const PolarsNode& node, const std::string& name, PolarsValue input);
  Result<PolarsValue> spread(const PolarsNode& node, const std::string& name, PolarsValue input);
  Result<PolarsValue> over(const PolarsNode& node, PolarsArguments& arguments);
  PolarsValue count_rows();
  std::string over_clause(std::string_view order = {});

  std::string parameter(engine::Parameter value, std::string_view type);

  const Relation relation_;
  std::vector<engine::Parameter>& parameters_;
  const Aggregates aggregates_;
  std::string partition_;  // Of the `over` that is being compiled.
  bool is_in_over_ = false;
  bool is_in_aggregate_ = false;
  bool has_window_ = false;
  bool needs_rows_ = false;
};

bool is_aggregate(std::string_view method);
bool is_of_polars(const PolarsNode& node);  // `pl.name`, as a callee or a type.

}  // namespace sluice::expression

#include "sql_plan.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/base/text.h"

#include "plan_node.h"
#include "sql_aggregate.h"
#include "sql_condition.h"
#include "sql_from.h"
#include "sql_member.h"
#include "sql_modifiers.h"
#include "sql_node.h"
#include "sql_scalar.h"
#include "sql_set_operation.h"

namespace sluice::expression {

namespace {

using engine::TypeId;
using plan::AggregateCall;
using plan::AggregateFunction;
using plan::NodePtr;

// An item of the SELECT list: a column of the table or one that is computed, or one of the aggregates.
struct Item {
  bool is_call = false;
  std::size_t at = 0;
  std::string alias;
};

bool has_distinct_names(const Columns& outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string& name = outputs[i].name;
    if (name.empty() || name.size() > kNameBytesMax || name.find('\0') != std::string::npos) return false;
    for (std::size_t k = 0; k < i; ++k) {
      if (equal_ignoring_case(outputs[k].name, name)) return false;
    }
  }
  return true;
}

// The columns of groups, as HAVING names them.
class GroupColumns final : public SqlColumns {
 public:
  using Place = std::function<std::optional<std::size_t>(const json::Value&)>;

  // `place` tells which column of the groups an expression is, of which `columns` may become more.
  GroupColumns(const Columns& columns, Place place) : columns_(columns), place_(std::move(place)) {}

  const Columns& columns() const override { return columns_; }
  std::optional<std::size_t> find(const json::Value& expression) const override { return place_(expression); }

 private:
  const Columns& columns_;
  const Place place_;
};

class SelectBinder {
 public:
  SelectBinder(SqlNode& node, SqlFrom& from, const Columns& outputs)
      : node_(node), from_(from), names_(from), outputs_(outputs) {}

  NodePtr bind() {
    std::optional<SqlModifiers> modifiers = read_modifiers(node_);
    if (!modifiers) return nullptr;
    modifiers_ = *std::move(modifiers);
    if (!has_known_clauses() || !read_list() || !read_keys() || !read_having()) return nullptr;
    if (items_.size() != outputs_.size() || !has_distinct_names(outputs_)) return nullptr;
    // What the order is by may have to be computed, too.
    for (const SqlOrderTerm& term : modifiers_.order) {
      if (!ordered_by(*term.expression)) return nullptr;
    }
    NodePtr rows = filtered_rows();
    if (rows)
      rows = is_grouped()             ? groups(std::move(rows))
             : modifiers_.is_distinct ? distinct_rows(std::move(rows))
                                      : plain_rows(std::move(rows));
    if (!rows || !has_same_types(*rows)) return nullptr;
    return plan::limit(std::move(rows), modifiers_.limit, modifiers_.offset);
  }

 private:
  // With what the clauses compute of them. To be called when all clauses have been read.
  NodePtr filtered_rows() {
    std::vector<const json::Value*> others;
    NodePtr rows = from_.rows(node_.value("where_clause"), others);
    std::vector<plan::Condition> conditions;
    for (const json::Value* other : others) {
      std::optional<plan::Condition> condition = bind_condition(*other, names_);
      if (!condition) return nullptr;
      conditions.push_back(*std::move(condition));
    }
    if (rows) rows = node_or_null(plan::compute(std::move(rows), names_.calls()));
    return rows ? node_or_null(plan::filter(std::move(rows), plan::all_of(std::move(conditions)))) : nullptr;
  }

  bool is_grouped() const { return !calls_.empty() || !keys_.empty(); }

  bool has_known_clauses() {
    for (const std::string_view clause : {"qualify", "sample"}) {
      if (node_.value(clause) != nullptr) return false;
    }
    const json::Value* with = node_.value("cte_map");
    const json::Value* tables = with == nullptr ? nullptr : with->find("map");
    if (tables == nullptr || !tables->is_array() || !tables->if_array()->empty()) return false;
    return node_.text("aggregate_handling") == "STANDARD_HANDLING";
  }

  bool read_list() {
    const json::Array& list = node_.items("select_list");
    return std::all_of(list.begin(), list.end(), [this](const json::Value& item) {
      return has_class(item, "STAR") ? read_star(item) : read_item(item);
    });
  }

  bool read_star(const json::Value& value) {
    Result<SqlNode> star = SqlNode::of(&value);
    if (!star.ok()) return false;
    for (const std::string_view known : {"class", "type", "alias"}) star->text(known);
    const std::string_view table = star->text("relation_name");
    // EXCLUDE, REPLACE and the like are left over.
    if (!star->finish().ok()) return false;
    const std::optional<std::vector<std::size_t>> columns = from_.star(table);
    for (std::size_t i = 0; columns && i < columns->size(); ++i) {
      const std::size_t at = items_.size();
      if (at >= outputs_.size() || outputs_[at].name != names_.columns()[(*columns)[i]].name) return false;
      items_.push_back({.at = (*columns)[i]});
    }
    return columns.has_value();
  }

  bool read_item(const json::Value& value) {
    Item item;
    if (const json::Value* alias = value.find("alias"); alias != nullptr && alias->is_string())
      item.alias = *alias->if_string();
    if (const std::optional<std::size_t> column = names_.find(value)) {
      item.at = *column;
    } else if (const std::optional<std::size_t> call = find_call(value)) {
      item.is_call = true;
      item.at = *call;
    } else {
      return false;
    }
    items_.push_back(std::move(item));
    return true;
  }

  // The place of an aggregate among the calls, to which it is added if it is new.
  std::optional<std::size_t> find_call(const json::Value& value) {
    std::optional<AggregateCall> call = aggregate_of(value, names_);
    if (!call) return std::nullopt;
    const auto found = std::find_if(calls_.begin(), calls_.end(), [&](const AggregateCall& other) {
      return other.function == call->function && other.column == call->column;
    });
    if (found != calls_.end()) return static_cast<std::size_t>(found - calls_.begin());
    call->name = call_name();
    calls_.push_back(*std::move(call));
    return calls_.size() - 1;
  }

  // One that no column of the table has.
  std::string call_name() const {
    std::string name = "value_" + std::to_string(calls_.size() + 1);
    const auto is_taken = [&](const engine::Field& column) { return equal_ignoring_case(column.name, name); };
    while (std::any_of(names_.columns().begin(), names_.columns().end(), is_taken)) name += '_';
    return name;
  }

  bool read_keys() {
    const json::Array& groups = node_.items("group_expressions");
    const json::Array& sets = node_.items("group_sets");
    if (sets.size() > 1) return false;
    if (!sets.empty() && (!sets.front().is_array() || sets.front().if_array()->size() != groups.size()))
      return false;
    for (const json::Value& group : groups) {
      const std::optional<std::size_t> column = key_of(group);
      if (!column) return false;
      if (std::find(keys_.begin(), keys_.end(), *column) == keys_.end()) keys_.push_back(*column);
    }
    return !is_grouped() || !modifiers_.is_distinct;
  }

  // A key comes before an alias, which comes before an aggregate. What else the name of a column may mean
  // beside an alias is not decided here.
  std::optional<std::size_t> place_in_groups(const json::Value& expression) {
    std::optional<Item> item;
    if (const std::optional<std::size_t> column = names_.find(expression)) {
      item = Item{.at = *column};
    } else if (const std::optional<std::size_t> alias = aliased(expression)) {
      item = items_[*alias];
    } else if (const std::optional<std::size_t> call = find_call(expression)) {
      item = Item{.is_call = true, .at = *call};
    }
    if (!item) return std::nullopt;
    const std::optional<std::size_t> place = place_of(*item);
    set_group_columns();
    return place;
  }

  // Those of the keys and calls that are known so far.
  void set_group_columns() {
    group_columns_.clear();
    for (const std::size_t key : keys_) group_columns_.push_back(names_.columns()[key]);
    for (const AggregateCall& call : calls_) {
      const bool counts_rows = call.function == AggregateFunction::kCountRows;
      group_columns_.push_back(
          {.name = call.name,
           .type = plan::type_of(call.function,
                                 counts_rows ? engine::Type{} : names_.columns()[call.column].type)});
    }
  }

  bool read_having() {
    const json::Value* having = node_.value("having");
    if (having == nullptr) return true;
    const GroupColumns columns(group_columns_,
                               [this](const json::Value& expression) { return place_in_groups(expression); });
    having_ = bind_condition(*having, columns);
    return having_ && is_grouped();
  }

  // A column of the table comes before an alias of that name.
  std::optional<std::size_t> key_of(const json::Value& group) const {
    if (const std::optional<std::size_t> column = names_.find(group)) return column;
    std::optional<std::size_t> item = item_at(group);
    if (!item) item = aliased(group);
    if (!item || items_[*item].is_call) return std::nullopt;
    return items_[*item].at;
  }

  // The item that a position means.
  std::optional<std::size_t> item_at(const json::Value& expression) const {
    const std::optional<std::uint64_t> position = whole_number(&expression);
    if (!position || *position < 1 || *position > items_.size()) return std::nullopt;
    return static_cast<std::size_t>(*position - 1);
  }

  std::optional<std::size_t> aliased(const json::Value& expression) const {
    const json::Value* parts =
        has_class(expression, "COLUMN_REF") ? expression.find("column_names") : nullptr;
    if (parts == nullptr || !parts->is_array() || parts->if_array()->size() != 1) return std::nullopt;
    const std::string* name = parts->if_array()->front().if_string();
    if (name == nullptr) return std::nullopt;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (!items_[i].alias.empty() && equal_ignoring_case(items_[i].alias, *name)) return i;
    }
    return std::nullopt;
  }

  std::vector<std::string> output_names() const {
    std::vector<std::string> out;
    for (const engine::Field& output : outputs_) out.push_back(output.name);
    return out;
  }

  bool has_same_types(const plan::Node& node) const {
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const bool is_median = items_[i].is_call && calls_[items_[i].at].function == AggregateFunction::kMedian;
      if (!is_median && (node.columns[i].type.id == TypeId::kOther ||
                         engine::sql_name(node.columns[i].type) != engine::sql_name(outputs_[i].type)))
        return false;
    }
    return true;
  }

  // What a term of ORDER BY means: an item by its position or alias, or a column or aggregate of the table.
  std::optional<Item> ordered_by(const json::Value& expression) {
    std::optional<std::size_t> item = item_at(expression);
    if (!item) item = aliased(expression);
    if (item) return items_[*item];
    if (const std::optional<std::size_t> column = names_.find(expression)) return Item{.at = *column};
    if (!is_grouped()) return std::nullopt;
    const std::optional<std::size_t> call = find_call(expression);
    return call ? std::optional(Item{.is_call = true, .at = *call}) : std::nullopt;
  }

  // Rows: the order may be by any column of the table, and comes before the projection.
  NodePtr plain_rows(NodePtr rows) {
    std::vector<plan::SortKey> order;
    for (const SqlOrderTerm& term : modifiers_.order) {
      const std::optional<Item> by = ordered_by(*term.expression);
      if (!by) return nullptr;
      order.push_back({.column = by->at, .descending = term.descending});
    }
    rows = node_or_null(plan::sort(std::move(rows), std::move(order), false));
    if (!rows) return nullptr;
    bool is_whole = items_.size() == rows->columns.size();
    for (std::size_t i = 0; i < items_.size() && is_whole; ++i)
      is_whole = items_[i].at == i && rows->columns[i].name == outputs_[i].name;
    return is_whole ? rows : projected(std::move(rows));
  }

  // The SELECT list over the columns of the table.
  NodePtr projected(NodePtr rows) const {
    std::vector<std::size_t> columns;
    for (const Item& item : items_) columns.push_back(item.at);
    return node_or_null(plan::project(std::move(rows), std::move(columns), output_names()));
  }

  NodePtr distinct_rows(NodePtr rows) {
    rows = projected(std::move(rows));
    std::vector<plan::SortKey> order;
    for (const SqlOrderTerm& term : modifiers_.order) {
      const std::optional<Item> by = ordered_by(*term.expression);
      if (!by) return nullptr;
      const auto found =
          std::find_if(items_.begin(), items_.end(), [&](const Item& item) { return item.at == by->at; });
      if (found == items_.end()) return nullptr;
      order.push_back(
          {.column = static_cast<std::size_t>(found - items_.begin()), .descending = term.descending});
    }
    return rows ? node_or_null(plan::sort(plan::distinct(std::move(rows)), std::move(order), false))
                : nullptr;
  }

  // The place of an item in a group: keys come before calls.
  std::optional<std::size_t> place_of(const Item& item) const {
    if (item.is_call) return keys_.size() + item.at;
    const auto key = std::find(keys_.begin(), keys_.end(), item.at);
    if (key == keys_.end()) return std::nullopt;
    return static_cast<std::size_t>(key - keys_.begin());
  }

  NodePtr groups(NodePtr rows) {
    std::vector<plan::SortKey> order;
    for (const SqlOrderTerm& term : modifiers_.order) {
      const std::optional<Item> by = ordered_by(*term.expression);
      const std::optional<std::size_t> place = by ? place_of(*by) : std::nullopt;
      if (!place) return nullptr;
      order.push_back({.column = *place, .descending = term.descending});
    }
    std::vector<std::size_t> columns;
    for (const Item& item : items_) {
      const std::optional<std::size_t> place = place_of(item);
      if (!place) return nullptr;
      columns.push_back(*place);
    }
    rows = node_or_null(plan::aggregate(std::move(rows), keys_, calls_));
    if (rows && having_) rows = node_or_null(plan::filter(std::move(rows), *having_));
    if (rows) rows = node_or_null(plan::sort(std::move(rows), std::move(order), false));
    return rows ? node_or_null(plan::project(std::move(rows), std::move(columns), output_names())) : nullptr;
  }

  SqlNode& node_;
  SqlFrom& from_;
  SqlScalars names_;  // Of the rows before they are grouped.
  const Columns& outputs_;
  std::vector<Item> items_;
  std::vector<AggregateCall> calls_;
  std::vector<std::size_t> keys_;
  Columns group_columns_;  // Of HAVING.
  std::optional<plan::Condition> having_;
  SqlModifiers modifiers_;
};

}  // namespace

NodePtr bind_plan(const json::Value& tree, const SqlFacts& facts, const Columns& outputs) {
  const json::Value* statements = tree.find("statements");
  if (statements == nullptr || !statements->is_array() || statements->if_array()->size() != 1) return nullptr;
  const json::Value* query = statements->if_array()->front().find("node");
  return query == nullptr ? nullptr : bind_query(*query, facts, outputs);
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the tree, which its reader bounds.
NodePtr bind_query(const json::Value& query, const SqlFacts& facts, const Columns& outputs) {
  Result<SqlNode> node = SqlNode::of(&query);
  if (!node.ok()) return nullptr;
  const std::string_view type = node->text("type");
  if (type == "SET_OPERATION_NODE") return bind_set_operation(*node, facts, outputs);
  if (type != "SELECT_NODE") return nullptr;
  std::optional<SqlFrom> from = SqlFrom::bind(node->value("from_table"), facts);
  return from ? SelectBinder(*node, *from, outputs).bind() : nullptr;
}

}  // namespace sluice::expression

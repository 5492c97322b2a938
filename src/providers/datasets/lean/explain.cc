#include "lean/explain.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/json/reader.h"
#include "sluice/query/collection_dataset.h"
#include "sluice/query/lineage_json.h"

#include "answer/answer_cache.h"

namespace sluice::datasets::lean {

namespace {

using query::StatementPart;

constexpr std::size_t kLinesMax = 40;
constexpr std::size_t kFilterBytesMax = 400;
constexpr std::size_t kExplainedNames = 12;

bool has_estimated_count(const query::Dataset& dataset) {
  const query::CountState state = dataset.count_state();
  return state == query::CountState::kEstimated || state == query::CountState::kGuessed;
}

std::string rows_of(const query::Dataset& dataset) {
  if (dataset.count_state() == query::CountState::kExact) return fmt::format("{} rows", dataset.row_count());
  return has_estimated_count(dataset) ? fmt::format("~{} rows", dataset.row_count()) : "not counted";
}

struct FileCount {
  std::size_t read = 0;
  std::size_t all = 0;
};

std::optional<FileCount> files_of(const query::Dataset& dataset, const query::Inventory& inventory) {
  const auto* collection = dynamic_cast<const query::CollectionDataset*>(&dataset);
  if (collection == nullptr) return std::nullopt;
  FileCount out;
  for (const query::DatasetPtr& one : inventory.datasets())
    out.all += one->identity().collection == dataset.identity().collection ? 1U : 0U;
  for (const query::CollectionDataset::Part& part : collection->parts()) out.read += part.has_rows ? 1U : 0U;
  return out;
}

std::string filter_text(const plan::Condition& filter, const plan::Columns& columns) {
  return excerpt(plan::to_text(filter, columns), kFilterBytesMax);
}

// `a, b and 3 more`
std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size() && i < kExplainedNames; ++i)
    out += (i == 0 ? "" : ", ") + excerpt(names[i]);
  return names.size() > kExplainedNames ? fmt::format("{} and {} more", out, names.size() - kExplainedNames)
                                        : out;
}

std::vector<std::string> column_names(const StatementPart& part) {
  std::vector<std::string> out;
  for (const std::size_t i : part.columns) out.push_back(part.table->columns[i].name);
  return out;
}

std::string qualified_column(const StatementPart& part, std::size_t column) {
  return fmt::format("{}.{}", excerpt(part.dataset->name()), excerpt(part.table->columns[column].name));
}

// That of the database or of the record store, which the names of its datasets begin with: `shop` of
// `shop/orders`.
std::string_view source_name(const query::Dataset& dataset) {
  const std::string_view name = dataset.name();
  return name.substr(0, name.find('/'));
}

class Explanation {
 public:
  Explanation(const DatasetTools& tools, const CheckedStatement& statement)
      : statement_(statement),
        parts_(statement.read->parts()),
        inventory_(tools.inventory()),
        estimate_(tools.answers().find_estimate(
            AnswerCache::key_of(*statement.subject.dataset, statement.question))),
        is_at_source_(statement.read->is_answered_at_source(statement.question)) {}

  std::string text() const {
    std::vector<std::string> lines{"# nothing was run"};
    for (const StatementPart& part : parts_) lines.push_back(line_of(part));
    add_keys(lines);
    if (is_at_source_) {
      lines.push_back(fmt::format("the database {} computes the whole statement",
                                  excerpt(source_name(*parts_.front().dataset))));
    } else {
      const std::string what = std::string(parts_.size() > 1 ? "joined" : "computed");
      lines.push_back(fmt::format("{}{} by the engine", what, is_aggregated() ? " and grouped" : ""));
    }
    add_answer(lines);
    add_lineage(lines);
    std::string out;
    const bool is_cut = lines.size() > kLinesMax;
    for (std::size_t i = 0; i < lines.size() && i < kLinesMax - (is_cut ? 1 : 0); ++i) out += lines[i] + "\n";
    if (is_cut)
      out += fmt::format("… and {} lines more; format json has all\n", lines.size() - kLinesMax + 1);
    return out;
  }

  json::Object object() const {
    json::Object out;
    json::Array tables;
    for (const StatementPart& part : parts_) tables.emplace_back(table_json(part));
    out.set("tables", std::move(tables));
    json::Array keys;
    for (const query::KeyStep& step : query::key_steps(parts_, push())) keys.emplace_back(step_json(step));
    out.set("keys", std::move(keys));
    json::Array unsent;
    for (const query::UnsentKeys& one : query::unsent_keys(parts_, push())) {
      json::Object object = step_json(one.step);
      object.set("reason", one.reason);
      unsent.emplace_back(std::move(object));
    }
    out.set("not_sent", std::move(unsent));
    out.set("computed_by", is_at_source_ ? "database" : "engine");
    if (estimate_) {
      out.set("estimate", json::Object{{"rows", estimate_->rows},
                                       {"bytes", estimate_->bytes},
                                       {"kind", std::string(query::to_string(estimate_->kind))}});
    }
    out.set("plan", plan_json());
    out.set("lineage", query::lineage_json(statement_.question.lineage, parts_));
    return out;
  }

 private:
  const query::KeyPush& push() const { return statement_.read->key_push(); }

  bool is_aggregated() const {
    const std::vector<expression::ColumnLineage>& columns = statement_.question.lineage.columns;
    return std::any_of(columns.begin(), columns.end(), [](const expression::ColumnLineage& column) {
      return std::any_of(column.origins.begin(), column.origins.end(), [](const expression::Origin& one) {
        return one.how == expression::Derivation::kAggregated;
      });
    });
  }

  std::string line_of(const StatementPart& part) const {
    const query::Dataset& dataset = *part.dataset;
    const std::optional<FileCount> files = files_of(dataset, inventory_);
    std::string out =
        fmt::format("{}: {}", excerpt(dataset.name()),
                    files ? fmt::format("{} of {} files", files->read, files->all) : rows_of(dataset));
    out += part.columns.empty() ? "; no columns" : "; columns " + listed(column_names(part));
    if (part.filter.kind == plan::Condition::Kind::kAlways) return out;
    const plan::Columns& columns = part.table->columns;
    const std::optional<plan::Condition> sent = dataset.source_filter(*part.table, part.filter);
    const std::string needed = filter_text(part.filter, columns);
    if (!sent) return out + "; needs rows with " + needed;
    const std::string there = filter_text(*sent, columns);
    out += "; its database sends rows with " + there;
    return there == needed ? out : out + "; the engine then keeps those with " + needed;
  }

  void add_keys(std::vector<std::string>& lines) const {
    for (const query::KeyStep& step : query::key_steps(parts_, push())) {
      lines.push_back(
          fmt::format("sent first to the database of {}: the values of {}, unless they are more than {}",
                      qualified_column(parts_[step.to], step.to_column),
                      qualified_column(parts_[step.from], step.from_column), push().keys_max));
    }
    for (const query::UnsentKeys& one : query::unsent_keys(parts_, push())) {
      lines.push_back(fmt::format("not sent to the database of {}: the values of {}, because {}",
                                  qualified_column(parts_[one.step.to], one.step.to_column),
                                  qualified_column(parts_[one.step.from], one.step.from_column), one.reason));
    }
  }

  void add_answer(std::vector<std::string>& lines) const {
    if (estimate_) {
      lines.push_back(
          fmt::format("answer: {} rows ({})", estimate_->rows, query::to_string(estimate_->kind)));
    } else if (statement_.question.rows_max) {
      lines.push_back(fmt::format("answer: at most {} rows", *statement_.question.rows_max));
    }
  }

  std::string named(const expression::TableColumn& column) const {
    for (const StatementPart& part : parts_) {
      if (part.name == column.table) return qualified_column(part, column.column);
    }
    return {};
  }

  void add_lineage(std::vector<std::string>& lines) const {
    const expression::Lineage& lineage = statement_.question.lineage;
    for (const expression::ColumnLineage& column : lineage.columns) {
      std::string from;
      for (const auto how : {expression::Derivation::kCopy, expression::Derivation::kComputed,
                             expression::Derivation::kAggregated}) {
        std::vector<std::string> names;
        for (const expression::Origin& origin : column.origins) {
          if (origin.how == how) names.push_back(named(origin.column));
        }
        if (names.empty()) continue;
        from +=
            fmt::format("{}{} of {}", from.empty() ? "" : "; ", expression::to_string(how), listed(names));
      }
      if (!from.empty()) lines.push_back(fmt::format("column {}: {}", excerpt(column.name), from));
    }
    std::vector<std::string> filters;
    for (const expression::TableColumn& column : lineage.filters) filters.push_back(named(column));
    if (!filters.empty()) lines.push_back("filtered by " + listed(filters));
  }

  json::Object step_json(const query::KeyStep& step) const {
    const auto column_json = [&](std::size_t part, std::size_t column) {
      return json::Object{{"dataset", parts_[part].dataset->name()},
                          {"column", parts_[part].table->columns[column].name}};
    };
    return {{"from", column_json(step.from, step.from_column)}, {"to", column_json(step.to, step.to_column)}};
  }

  json::Object table_json(const StatementPart& part) const {
    const query::Dataset& dataset = *part.dataset;
    json::Object out{{"dataset", dataset.name()}};
    const bool is_exact = dataset.count_state() == query::CountState::kExact;
    if (is_exact || has_estimated_count(dataset)) {
      out.set("rows", dataset.row_count());
      out.set("rows_kind", is_exact ? "exact" : "estimate");
    }
    if (const std::optional<FileCount> files = files_of(dataset, inventory_)) {
      out.set("files", files->read);
      out.set("files_of", files->all);
    }
    json::Array columns;
    for (std::string& name : column_names(part)) columns.emplace_back(std::move(name));
    out.set("columns", std::move(columns));
    const plan::Columns& all = part.table->columns;
    if (part.filter.kind != plan::Condition::Kind::kAlways) {
      out.set("filter", plan::to_text(part.filter, all));
      const std::optional<plan::Condition> sent = dataset.source_filter(*part.table, part.filter);
      if (sent) out.set("filter_of_source", plan::to_text(*sent, all));
    }
    if (std::string sql = source_sql(part); !sql.empty()) out.set("sql", std::move(sql));
    return out;
  }

  std::string source_sql(const StatementPart& part) const {
    // The one SELECT over several tables is that of none of them.
    if (is_at_source_ && parts_.size() > 1) return {};
    if (is_at_source_) return part.dataset->source_sql(*part.table, statement_.question, part.columns);
    expression::Question rows;
    const Result<plan::NodePtr> node = scan_of(part);
    if (node.ok()) rows.plan = plan::physical_plan(*node, statement_.question.guard);
    rows.is_order_free = true;
    return part.dataset->source_sql(*part.table, rows, part.columns);
  }

  static Result<plan::NodePtr> scan_of(const StatementPart& part) {
    return plan::filter(plan::scan(part.name, part.table->columns), part.filter);
  }

  // The plan, or the statement over what it reads.
  plan::PhysicalPlan shown_plan() const {
    const expression::Question& question = statement_.question;
    if (question.plan) return question.plan;
    std::vector<plan::NodePtr> inputs;
    for (const StatementPart& part : parts_) {
      const Result<plan::NodePtr> input = scan_of(part);
      if (input.ok()) inputs.push_back(*input);
    }
    return plan::physical_plan(plan::engine_query(question.sql, std::move(inputs)), question.guard);
  }

  json::Value plan_json() const {
    Result<json::Value> out = json::read(plan::to_json(*shown_plan()));
    return out.ok() ? *std::move(out) : json::Value();
  }

  const CheckedStatement& statement_;
  const std::vector<StatementPart>& parts_;
  const query::Inventory inventory_;
  const std::shared_ptr<const query::Estimate> estimate_;  // Shared with the cache.
  const bool is_at_source_;
};

}  // namespace

std::string explain(const DatasetTools& tools, const CheckedStatement& statement) {
  return Explanation(tools, statement).text();
}

json::Object explain_json(const DatasetTools& tools, const CheckedStatement& statement) {
  return Explanation(tools, statement).object();
}

}  // namespace sluice::datasets::lean

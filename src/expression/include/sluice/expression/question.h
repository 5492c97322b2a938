#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sluice/engine/sql.h"
#include "sluice/engine/type.h"
#include "sluice/expression/key_link.h"
#include "sluice/expression/lineage.h"
#include "sluice/expression/query_arguments.h"
#include "sluice/plan/guarded_plan.h"

namespace sluice::expression {

// The columns that a question may name, in the order of the file.
using plan::Columns;

// What a question was asked in.
enum class Language : std::uint8_t { kArguments, kSql, kPolars };

struct JoinCount;     // See join_count.h.
struct NamedColumns;  // See named_columns.h.

// A comparison `column = 'text'`.
struct TextEquality {
  std::string column;
  std::string value;
  std::string parameter;  // Whose value that is; empty: the text stands in the statement.
};

// A validated question: one SELECT over the relation `data`, whatever way it was asked. Every value of the
// caller is a parameter. `sql` is made by this program from what was checked, never from the caller's text.
struct Question {
  std::string sql;  // Placeholders $1, $2, … stand for `parameters`.
  std::vector<engine::Parameter> parameters;
  std::vector<std::string> warnings;  // What the caller should know about the answer.
  // Sums, averages and medians over columns of the data itself, whose rows are neither grouped nor made
  // distinct before.
  std::vector<Aggregate> totals;
  std::optional<std::uint64_t> rows_max;  // Proven by a limit or a total, whatever the data holds.
  // Rows before `offset` and behind `limit` are not part of the answer; `sql` does not know of them.
  std::optional<std::uint64_t> limit;
  std::uint64_t offset = 0;
  // Values that medians and quantiles keep in memory for each row of the data, which the engine does not
  // count.
  std::uint64_t kept_values = 0;
  bool is_grouped = false;     // Rows are groups of rows.
  bool is_lossy = false;       // Rows of the data are dropped that a reader of the answer cannot know of.
  bool keeps_rows = false;     // Without limit and offset, the answer has as many rows as the data.
  bool is_order_free = false;  // The order in which rows of the tables are read does not show in the answer.
  bool has_group_by = false;   // Of SQL: the outermost SELECT has a GROUP BY.
  // Of SQL: all such comparisons, those of IN lists included, in the order of the text.
  std::vector<TextEquality> text_equalities;
  // What `sql` computes, without `limit` and `offset`, so that a source can compute it or a part of it
  // itself. Limits that SQL itself has are in both. Null: nobody but the engine can. See replace_sql().
  plan::PhysicalPlan plan;
  plan::Guard guard;  // The rules of whoever asks.
  Language language = Language::kArguments;
  // Which tables of a statement over several the values of others restrict.
  std::vector<KeyLink> key_links;
  // The columns that a statement may read of its tables, by the name of the table; at least those that it
  // does.
  std::map<std::string, std::vector<std::size_t>> columns_read;
  Lineage lineage;  // Of a statement's answer.
  // The arguments that it was compiled from, for remarks about the answer. Null for SQL and Polars. Shared by
  // the copies of the question.
  std::shared_ptr<const QueryArguments> arguments;
  // Of SQL: how to count what its joins make, and the columns that it names. Null: it joins nothing, or
  // nobody knows. Shared by the copies of the question.
  std::shared_ptr<const std::vector<JoinCount>> joins;
  std::shared_ptr<const NamedColumns> named_columns;
};

// Gives the question another SELECT, which only the engine computes: its plan computes something else, and
// its joins are others.
inline void replace_sql(Question& question, std::string sql) {
  question.sql = std::move(sql);
  question.plan = nullptr;
  question.joins = nullptr;
}

// Whether the answer never has more rows than the data. Not known of Polars and of SQL without a plan.
inline bool never_grows(const Question& question) {
  return question.plan != nullptr && !plan::is_engine_query(*question.plan) &&
         !plan::has_join(*question.plan);
}

}  // namespace sluice::expression

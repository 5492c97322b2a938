#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sluice/expression/sql_parameters.h"
#include "sluice/protocol/model/content.h"
#include "sluice/query/format.h"
#include "sluice/query/statement_dataset.h"

#include "dataset_tools.h"

namespace sluice::datasets::lean {

// One SELECT, and what it may name beside the tables of the server.
struct Statement {
  std::string sql;
  const expression::SqlParameters* parameters = nullptr;  // The values of $name; null: there are none.
  // Of a tool that the operator has defined: its parameters. Null: the caller wrote the statement.
  const std::vector<ToolParameter>* declared = nullptr;
  // Handles of results by the names that the statement has for them; null: there are none.
  const std::map<std::string, std::string, std::less<>>* results = nullptr;
};

// A statement that may run, and the tables that it reads.
struct CheckedStatement {
  Subject subject;
  expression::Question question;
  std::shared_ptr<const query::StatementDataset>
      read;  // Shared with the subject, which does not know its type.
};
Result<CheckedStatement> check_statement(const DatasetTools& tools, const Statement& statement,
                                         const catalog::Context& context);

struct StatementStyle {
  std::string name;  // Of the result; empty: none is given.
  bool is_json = false;
  bool is_exact = false;                      // Floating point has all of its digits.
  query::Format file = query::Format::kJson;  // kJson: no file.
  bool is_explained = false;                  // Says what would be read, and runs nothing.
  bool is_step = false;  // The result is kept for a statement that follows, under no name, and not shown.
};

struct StatementAnswer {
  std::string text;
  json::Object meta;
  std::optional<protocol::Content> link;
  std::string handle;  // Of the result, if it is kept.
};

// Answers one statement within the budget. `arguments` may hold `confirm`.
Result<StatementAnswer> run_statement(const DatasetTools& tools, const Statement& statement,
                                      const StatementStyle& asked, const Budget& budget,
                                      const json::Object& arguments, catalog::Context& context);

}  // namespace sluice::datasets::lean

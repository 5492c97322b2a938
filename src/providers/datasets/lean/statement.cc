#include "lean/statement.h"

#include <utility>

#include "sluice/expression/sql.h"
#include "sluice/query/advice.h"

#include "lean/table_finder.h"

namespace sluice::datasets::lean {

namespace {

struct Bound {
  expression::Question question;
  std::shared_ptr<const query::StatementDataset> tables;
};

Result<Bound> bind_statement(const DatasetTools& tools, const std::shared_ptr<engine::Engine>& engine,
                             const Statement& statement, const catalog::Context& context) {
  static const expression::SqlParameters kNoParameters;
  const expression::SqlParameters& parameters =
      statement.parameters != nullptr ? *statement.parameters : kNoParameters;
  TableFinder tables(tools, engine, context, statement.results);
  Result<expression::Question> question = expression::check_sql(
      *engine, statement.sql, tables, tools.guard_of(context), limits_of(context), parameters);
  if (question.ok()) {
    auto read = tables.dataset(*question);
    return Bound{*std::move(question), std::move(read)};
  }
  // A column that is missing may be in a file that the filters leave out; it is null in the others. In a
  // correlated subquery the engine says that the table is unknown, not the column.
  const bool may_lack_column =
      question.error().code == "invalid_column" || question.error().code == "invalid_sql";
  if (!may_lack_column || !tables.leaves_out_files()) return std::move(question).error();
  TableFinder all(tools, engine, context, statement.results, ColumnsOf::kAllFiles);
  SLUICE_TRY(expression::Question again,
             expression::check_sql(*engine, statement.sql, all, tools.guard_of(context), limits_of(context),
                                   parameters));
  auto read = all.dataset(again);
  return Bound{std::move(again), std::move(read)};
}

}  // namespace

Result<CheckedStatement> check_statement(const DatasetTools& tools, const Statement& statement,
                                         const catalog::Context& context) {
  CheckedStatement out;
  SLUICE_TRY(out.subject.engine, tools.services().engines->get());
  SLUICE_TRY(Bound bound, bind_statement(tools, out.subject.engine, statement, context));
  out.question = std::move(bound.question);
  out.read = std::move(bound.tables);
  out.question.warnings.clear();
  if (out.read->parts().size() == 1) {
    const query::StatementDataset::Part& only = out.read->parts().front();
    query::add_advice(out.question, only.table->columns, only.dataset->collection());
  }
  out.subject.dataset = out.read;
  out.subject.guard = tools.guard_of(context);
  out.subject.table = std::make_shared<const query::Table>();
  return out;
}

}  // namespace sluice::datasets::lean

#include "lean/statement.h"

#include <utility>

#include "sluice/expression/sql.h"
#include "sluice/query/advice.h"

#include "lean/table_finder.h"

namespace sluice::datasets::lean {

Result<CheckedStatement> check_statement(const Desk& desk, const Statement& statement,
                                         const catalog::Context& context) {
  static const expression::SqlParameters kNoParameters;
  CheckedStatement out;
  SLUICE_TRY(out.subject.engine, desk.services().engines->get());
  TableFinder tables(desk, out.subject.engine, context, statement.results);
  SLUICE_TRY(out.question,
             expression::check_sql(*out.subject.engine, statement.sql, tables, limits_of(context),
                                   statement.parameters != nullptr ? *statement.parameters : kNoParameters));
  out.question.warnings.clear();
  out.read = tables.dataset();
  if (out.read->parts().size() == 1) {
    const query::StatementDataset::Part& only = out.read->parts().front();
    query::add_advice(out.question, only.table->columns, only.dataset->collection());
  }
  out.subject.dataset = out.read;
  out.subject.table = std::make_shared<const query::Table>();
  return out;
}

}  // namespace sluice::datasets::lean

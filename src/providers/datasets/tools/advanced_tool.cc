#include "sluice/expression/polars.h"
#include "sluice/expression/sql.h"
#include "sluice/json/object_reader.h"
#include "sluice/query/advice.h"

#include "tools/tools.h"

namespace sluice::datasets {

Result<protocol::ToolResult> advanced_query(const DatasetTools& tools, const json::Object& arguments,
                                            catalog::Context& context) {
  SLUICE_TRY(const Subject subject, tools.open(arguments, context));
  const json::ObjectReader in(arguments, "");
  SLUICE_TRY(const std::optional<std::string> chain, in.optional_string("polars_expr"));
  SLUICE_TRY(const std::optional<std::string> sql, in.optional_string("sql"));
  if (chain.has_value() == sql.has_value()) {
    return invalid_input("advanced_query takes polars_expr or sql, one of them")
        .with_code("invalid_arguments")
        .with_hint("polars_expr: a chain of Polars methods. sql: one SELECT over `data`.");
  }
  const expression::Columns& columns = subject.table->columns;
  SLUICE_TRY(expression::Question question, chain ? expression::compile_polars(*chain, columns, subject.guard)
                                                  : expression::check_sql(*subject.engine, *sql, columns,
                                                                          subject.guard, limits_of(context)));
  query::add_advice(question, columns, subject.dataset->collection());
  return answer_question(tools, subject, std::move(question), arguments, context);
}

}  // namespace sluice::datasets

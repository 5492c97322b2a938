#include "sluice/query/statement.h"

#include <fmt/format.h>

#include "sluice/plan/engine_sql.h"

#include "columns.h"

namespace sluice::query {

namespace {

using engine::quote_name;

std::string common_tables(const Table& table, const Relation& relation) {
  if (!relation.tables.empty()) return "WITH " + relation.tables;
  return fmt::format("WITH data AS (SELECT {0} FROM {1}), numbered AS (SELECT {0}, {2} AS {3} FROM {1})",
                     names_sql(table.columns), relation.sql, row_number(table, relation),
                     quote_name(plan::row_column(table.columns)));
}

// Its offset has been passed, and its order is that of the rows.
std::string answered(const Relation& relation, std::optional<std::uint64_t> limit) {
  return fmt::format("SELECT * FROM {}{}", relation.sql, plan::limit_sql(limit, 0));
}

}  // namespace

engine::Statement statement_of(const expression::Question& question, const Table& table,
                               const Relation& relation, std::optional<std::uint64_t> limit) {
  if (relation.answer) return {.sql = answered(relation, limit), .parameters = {}};
  return {
      .sql = common_tables(table, relation) + " " + question.sql + plan::limit_sql(limit, question.offset),
      .parameters = question.parameters};
}

engine::Statement statement_around(std::string_view outer, const expression::Question& question,
                                   const Table& table, const Relation& relation) {
  if (relation.answer) {
    return {.sql = fmt::format("WITH answer AS ({}) {}", answered(relation, question.limit), outer),
            .parameters = {}};
  }
  return {.sql = fmt::format("{}, answer AS ({}{}) {}", common_tables(table, relation), question.sql,
                             plan::limit_sql(question.limit, question.offset), outer),
          .parameters = question.parameters};
}

}  // namespace sluice::query

#include "sluice/query/statement.h"

#include <cstdint>

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

// The engine counts in 64 bits with a sign; nothing has more rows.
std::string limit_sql(std::optional<std::uint64_t> limit) {
  return limit && *limit < INT64_MAX ? fmt::format(" LIMIT {}", *limit) : "";
}

std::string bounds(const expression::Question& question, std::optional<std::uint64_t> limit) {
  std::string out = limit_sql(limit);
  if (question.offset > 0) out += fmt::format(" OFFSET {}", question.offset);
  return out;
}

// Its offset has been passed, and its order is that of the rows.
std::string answered(const Relation& relation, std::optional<std::uint64_t> limit) {
  return fmt::format("SELECT * FROM {}{}", relation.sql, limit_sql(limit));
}

}  // namespace

engine::Statement statement_of(const expression::Question& question, const Table& table,
                               const Relation& relation, std::optional<std::uint64_t> limit) {
  if (relation.answer) return {.sql = answered(relation, limit), .parameters = {}};
  return {.sql = common_tables(table, relation) + " " + question.sql + bounds(question, limit),
          .parameters = question.parameters};
}

engine::Statement statement_around(std::string_view outer, const expression::Question& question,
                                   const Table& table, const Relation& relation) {
  if (relation.answer) {
    return {.sql = fmt::format("WITH answer AS ({}) {}", answered(relation, question.limit), outer),
            .parameters = {}};
  }
  return {.sql = fmt::format("{}, answer AS ({}{}) {}", common_tables(table, relation), question.sql,
                             bounds(question, question.limit), outer),
          .parameters = question.parameters};
}

}  // namespace sluice::query

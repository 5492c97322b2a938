#include "answer/row_counts.h"

#include <algorithm>
#include <chrono>

#include "sluice/query/rows_reader.h"
#include "sluice/query/statement.h"

namespace sluice::datasets {

namespace {

constexpr std::chrono::milliseconds kRowCountTime{1'000};

}  // namespace

RowCounts::RowCounts(const Subject& subject, const catalog::Context& context)
    : subject_(subject), limits_(limits_of(context)) {
  limits_.deadline = std::min(limits_.deadline, system_clock().now() + kRowCountTime);
}

std::optional<std::uint64_t> RowCounts::of(query::QueryArguments query_arguments) const {
  query_arguments.order_by.clear();
  query_arguments.limit.reset();
  query_arguments.offset = 0;
  const Result<std::uint64_t> count = count_of(query_arguments);
  return count.ok() ? std::optional(*count) : std::nullopt;
}

Result<std::uint64_t> RowCounts::count_of(const query::QueryArguments& query_arguments) const {
  SLUICE_TRY(
      const expression::Question question,
      query::compile(query_arguments, *subject_.table, subject_.dataset->collection(), subject_.guard));
  SLUICE_TRY(const query::Relation relation, subject_.dataset->open(*subject_.table, limits_, &question));
  return query::read_count(
      *subject_.engine,
      query::statement_around("SELECT count(*) FROM answer", question, *subject_.table, relation), limits_);
}

}  // namespace sluice::datasets

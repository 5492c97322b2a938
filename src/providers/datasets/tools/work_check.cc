#include "tools/work_check.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "sluice/query/join_size.h"
#include "sluice/query/statement_dataset.h"
#include "sluice/query/transfer.h"

#include "tools/confirm.h"

namespace sluice::datasets {

namespace {

// How long keys may be counted, where nothing simpler says that a join is small.
constexpr std::chrono::milliseconds kKeyCountTime{100};

std::vector<query::Transfer> tables_of(const query::Dataset& dataset) {
  std::vector<query::Transfer> out;
  const auto add = [&out](const query::Dataset& one) {
    query::Transfer& table = out.emplace_back();
    table.dataset = one.name();
    table.bytes = one.identity().bytes;
    if (one.count_state() == query::CountState::kExact) table.rows = one.row_count();
  };
  const auto* statement = dynamic_cast<const query::StatementDataset*>(&dataset);
  if (statement == nullptr) {
    add(dataset);
  } else {
    for (const query::StatementDataset::Part& part : statement->parts()) add(*part.dataset);
  }
  return out;
}

Result<std::optional<protocol::ToolResult>> check_pairs(const DatasetTools& tools, const Subject& subject,
                                                        const expression::Question& question,
                                                        const json::Object& arguments,
                                                        catalog::Context& context) {
  const auto bound = static_cast<double>(tools.services().limits.confirm_pairs);
  engine::RunLimits limits = limits_of(context);
  limits.deadline = std::min(limits.deadline, system_clock().now() + kKeyCountTime);
  SLUICE_TRY(const std::optional<query::JoinSize> size,
             query::join_size(*subject.engine, question, *subject.dataset, *subject.table, bound, limits));
  if (!size || size->pairs <= bound) return std::optional<protocol::ToolResult>();
  return confirm_pairs(
      {.pairs = size->pairs, .is_counted = size->is_counted, .tables = tables_of(*subject.dataset)},
      arguments, context);
}

}  // namespace

Result<WorkCheck> check_work(const DatasetTools& tools, const Subject& subject,
                             const expression::Question& question, const json::Object& arguments,
                             catalog::Context& context) {
  WorkCheck out;
  SLUICE_TRY(out.instead, check_pairs(tools, subject, question, arguments, context));
  if (out.instead) return out;
  SLUICE_TRY(const std::vector<query::Transfer> transfers,
             query::estimate_transfer(question, *subject.dataset, *subject.table,
                                      tools.services().limits.confirm_transfer, limits_of(context)));
  if (transfers.empty()) return out;
  SLUICE_TRY(out.instead, confirm_transfer(transfers, arguments, context));
  out.allows_transfer = !out.instead;
  return out;
}

}  // namespace sluice::datasets

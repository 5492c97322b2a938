#include "sluice/query/statement_dataset.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/log.h"
#include "sluice/query/duck_files.h"
#include "sluice/query/lineage_json.h"
#include "sluice/query/row_order.h"

#include "columns.h"

namespace sluice::query {

namespace {

Dataset::Identity statement_identity(const std::vector<StatementDataset::Part>& parts,
                                     const std::shared_ptr<const Collection>& fallback) {
  Dataset::Identity identity;
  identity.collection = parts.empty() ? fallback : parts.front().dataset->identity().collection;
  bool is_settled = true;
  for (const StatementDataset::Part& part : parts) {
    const Dataset::Identity& one = part.dataset->identity();
    identity.name += (identity.name.empty() ? "" : "+") + one.name;
    identity.bytes += one.bytes;
    identity.modified = std::max(identity.modified, one.modified);
    identity.is_followed = identity.is_followed && one.is_followed;
    is_settled = is_settled && !one.version.empty();
    identity.version += fmt::format("{}={};", part.name, one.version);
    if (!one.policy.text.empty()) identity.policy.text += fmt::format("{}={};", part.name, one.policy.text);
  }
  if (!is_settled) identity.version.clear();
  return identity;
}

}  // namespace

StatementDataset::StatementDataset(std::vector<Part> parts, const std::shared_ptr<const Collection>& fallback,
                                   KeyPush push)
    : Dataset(statement_identity(parts, fallback)), parts_(std::move(parts)), push_(std::move(push)) {
  std::uint64_t rows = 0;
  for (const Part& part : parts_) {
    if (part.dataset->count_state() != CountState::kExact) return;
    rows += part.dataset->row_count();
  }
  set_row_count(rows);
}

Result<Table> StatementDataset::inspect(engine::Engine& /*engine*/,
                                        const engine::RunLimits& /*limits*/) const {
  return Table{};
}

Result<Relation> StatementDataset::open(const Table& /*table*/, const engine::RunLimits& limits,
                                        const expression::Question* question) const {
  const bool takes_any = !parts_.empty() && is_duck_table(*parts_.front().dataset);
  if (!parts_.empty() && question != nullptr && (question->plan || takes_any)) {
    const Part& first = parts_.front();
    SLUICE_TRY(Relation answered, parts_.size() == 1 && !takes_any
                                      ? first.dataset->open(*first.table, limits, question)
                                      : first.dataset->open_together(tables(), limits, *question));
    if (answered.answer) {
      log::debug("query.at_source", {{"dataset", name()}});
      return answered;
    }
  }
  Relation out;
  std::vector<Relation> relations;
  // The rows of one table come in its order, those of several in none.
  const bool is_ordered =
      parts_.size() == 1 && question != nullptr && !question->is_grouped &&
      (question->sql.empty() || question->limit || question->offset > 0 || depends_on_order(*question));
  KeyedParts keyed(parts_, push_, limits);
  SLUICE_CHECK(keyed.compute_keys());
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    SLUICE_TRY(Relation relation, keyed.open(i, is_ordered));
    out.tables += fmt::format("{}{} AS (SELECT {} FROM {})", out.tables.empty() ? "" : ", ", part.name,
                              names_sql(part.table->columns), relation.sql);
    relations.push_back(std::move(relation));
  }
  if (out.tables.empty()) out.tables = "nothing AS (SELECT 1)";
  out.lease = std::make_shared<const std::vector<Relation>>(std::move(relations));
  return out;
}

Result<engine::PlanGuess> StatementDataset::guess(const Table& /*table*/,
                                                  const expression::Question& question,
                                                  const engine::RunLimits& limits) const {
  if (parts_.empty() || !question.plan)
    return unsupported("guess the rows: no single source answers this statement");
  if (parts_.size() > 1) return parts_.front().dataset->guess_together(tables(), question, limits);
  return parts_.front().dataset->guess(*parts_.front().table, question, limits);
}

std::vector<NamedTable> StatementDataset::tables() const {
  std::vector<NamedTable> out;
  for (const Part& part : parts_)
    out.push_back({.name = part.name, .dataset = part.dataset.get(), .table = part.table.get()});
  return out;
}

bool StatementDataset::is_answered_at_source(const expression::Question& question) const {
  if (parts_.empty() || (!question.plan && !is_duck_table(*parts_.front().dataset))) return false;
  const Result<Relation> relation = parts_.front().dataset->open_together(tables(), {}, question);
  return relation.ok() && relation->answer != nullptr;
}

json::Object StatementDataset::lineage(const expression::Question& question) const {
  return lineage_json(question.lineage, parts_);
}

bool StatementDataset::is_current() const {
  return std::all_of(parts_.begin(), parts_.end(),
                     [](const Part& part) { return part.dataset->is_current(); });
}

Result<std::string> StatementDataset::read_beside(std::string_view /*suffix*/) const {
  return not_found("a statement has no file beside it");
}

}  // namespace sluice::query

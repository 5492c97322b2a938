#include "join_generator.h"

#include <utility>

#include <fmt/format.h>

namespace sluice::plan::testing {

namespace {

constexpr int kTriesMax = 200;
constexpr unsigned kPushedPercent = 95;  // Of the pairs of columns, if the database compares any of them.

const SampleColumn& id_sample() {
  static const SampleColumn kSample{"id", "INTEGER", {}, {"0", "1", "5", "17", "29.5", "-1"}, {}};
  return kSample;
}

// None is wanted above the others.
const Overload& any_overload() { return *find_overload(Function::kIsNull, TypeClass::kText); }

std::vector<std::size_t> of_type(const Node& node, const engine::Type& type) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < node.columns.size(); ++i) {
    if (engine::sql_name(node.columns[i].type) == engine::sql_name(type)) out.push_back(i);
  }
  return out;
}

}  // namespace

Targets targets_of(const NamedTables& tables, engine::Dialect dialect) {
  Targets out;
  for (const auto& [name, table] : tables) out.emplace(name, table->target(dialect));
  return out;
}

JoinGenerator::JoinGenerator(const std::vector<LoadedTable>& tables, const std::vector<SampleColumn>& samples,
                             engine::Dialect dialect, std::uint32_t seed)
    : tables_(tables), samples_(samples), dialect_(dialect), random_(seed) {}

NodePtr JoinGenerator::next() {
  used_.clear();
  whole_ = {};
  whole_samples_.clear();
  NodePtr out = leaf(0);
  const std::size_t count = chance(70) ? 2 : 3;
  std::vector<std::size_t> ids = {0};
  for (std::size_t i = 1; i < count; ++i) {
    const std::size_t first = out->columns.size();
    NodePtr more = joined(out, i);
    if (!more) break;
    out = std::move(more);
    ids.push_back(first);
  }
  whole_.columns = out->columns;
  PlanGenerator above(whole_, whole_samples_, dialect_, any_overload(),
                      static_cast<std::uint32_t>(random_()));
  return above.next_over(std::move(out), std::move(ids));
}

NodePtr JoinGenerator::leaf(std::size_t number) {
  // Mostly one of the larger ones. A table may be joined with itself.
  const LoadedTable& table = tables_[chance(5) ? below(tables_.size()) : below(4)];
  const std::string name = fmt::format("table{}", &table - tables_.data());
  used_.emplace(name, &table);
  if (number > 0) whole_samples_.push_back(id_sample());
  whole_samples_.insert(whole_samples_.end(), samples_.begin(), samples_.end());
  whole_.layout.columns.insert(whole_.layout.columns.end(), table.layout.columns.begin(),
                               table.layout.columns.end());
  NodePtr out = scan(name, table.columns);
  if (!chance(25)) return out;
  PlanGenerator conditions(table, samples_, dialect_, any_overload(), static_cast<std::uint32_t>(random_()));
  return filter(std::move(out), conditions.condition(1)).value();
}

NodePtr JoinGenerator::joined(NodePtr left, std::size_t number) {
  const JoinKind kind = chance(50) ? JoinKind::kInner : JoinKind::kLeft;
  const LoadedTable whole = whole_;
  const std::vector<SampleColumn> samples = whole_samples_;
  const NamedTables used = used_;
  const bool wants_pushed = chance(kPushedPercent);
  const std::size_t keys_max = chance(85) ? 1 : 2;
  const NodePtr right = leaf(number);
  NodePtr out;
  std::vector<JoinKey> keys;
  for (int i = 0; i < kTriesMax && keys.size() < keys_max; ++i) {
    const std::size_t column = below(left->columns.size());
    const std::vector<std::size_t> partners = of_type(*right, left->columns[column].type);
    if (partners.empty()) continue;
    keys.push_back({.left = column, .right = partners[below(partners.size())]});
    Result<NodePtr> made = join(kind, left, right, keys);
    const bool is_taken =
        made.ok() && (!wants_pushed || fragment(runnable(*aggregate(*made, {}, {{.name = "n"}}).value()),
                                                targets_of(used_, dialect_)));
    if (is_taken) out = *made;
    if (!is_taken) keys.pop_back();
  }
  if (out) return out;
  whole_ = whole;
  whole_samples_ = samples;
  used_ = used;
  return nullptr;
}

}  // namespace sluice::plan::testing

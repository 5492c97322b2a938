#include "sluice/query/snapshot_dataset.h"

#include <utility>

#include "sluice/query/spool.h"

namespace sluice::query {

SnapshotDataset::SnapshotDataset(std::string name, SnapshotPtr snapshot,
                                 std::shared_ptr<const Collection> collection)
    : Dataset({.collection = std::move(collection),
               .name = std::move(name),
               .dimensions = {},
               .path = {},
               .bytes = snapshot->bytes,
               .modified = {},
               .version = snapshot->id}),
      snapshot_(std::move(snapshot)) {
  set_row_count(snapshot_->rows);
}

Result<Table> SnapshotDataset::inspect(engine::Engine& /*engine*/,
                                       const engine::RunLimits& /*limits*/) const {
  Table table;
  table.columns = snapshot_->columns;
  table.row_number = "row_number() OVER ()";
  return table;
}

Result<Relation> SnapshotDataset::open(const Table& /*table*/, const engine::RunLimits& /*limits*/,
                                       const expression::Question* /*question*/) const {
  Relation out;
  out.sql = "(" + Spool::page(*snapshot_, 0, snapshot_->rows).sql + ")";
  out.lease = snapshot_;
  return out;
}

Result<std::string> SnapshotDataset::read_beside(std::string_view /*suffix*/) const {
  return not_found("a result has no file beside it");
}

}  // namespace sluice::query

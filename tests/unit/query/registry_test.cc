#include "sluice/query/registry.h"

#include <gmock/gmock.h>

namespace sluice::query {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class FakeDataset final : public Dataset {
 public:
  using Dataset::Dataset;
  Result<Table> inspect(engine::Engine& /*engine*/, const engine::RunLimits& /*limits*/) const override {
    return Table{};
  }
  Result<Relation> open(const Table& /*table*/, const engine::RunLimits& /*limits*/,
                        const expression::Question* /*question*/) const override {
    return Relation{};
  }
  bool is_current() const override { return true; }
  Result<std::string> read_beside(std::string_view /*suffix*/) const override { return not_found("none"); }
};

std::shared_ptr<const Collection> collection(const std::string& name) {
  auto out = std::make_shared<Collection>();
  out->name = name;
  return out;
}

std::vector<DatasetPtr> datasets(const std::shared_ptr<const Collection>& collection,
                                 const std::vector<std::string>& names) {
  std::vector<DatasetPtr> out;
  for (const std::string& name : names)
    out.push_back(std::make_shared<const FakeDataset>(
        Dataset::Identity{.collection = collection, .name = name, .dimensions = {}, .path = {}}));
  return out;
}

std::vector<std::string> shown(const Registry& registry) {
  std::vector<std::string> out;
  const Inventory inventory = registry.inventory();
  for (const DatasetPtr& dataset : inventory.datasets())
    out.push_back(dataset->collection().name + ":" + dataset->name());
  return out;
}

TEST(Registry, HasOneOfTwoDatasetsWithTheSameName) {
  for (const bool records_first : {true, false}) {
    Registry registry;
    const auto files = collection("files");
    const auto records = collection("records");
    const std::vector<DatasetPtr> of_files = datasets(files, {"a", "records/tasks", "z"});
    if (records_first) registry.replace(records, datasets(records, {"records/tasks"}));
    registry.replace(files, of_files);
    if (!records_first) registry.replace(records, datasets(records, {"records/tasks"}));
    EXPECT_THAT(shown(registry), ElementsAre("files:a", "records:records/tasks", "files:z"));
    const Inventory inventory = registry.inventory();
    EXPECT_THAT(inventory.notes(),
                ElementsAre("records/tasks of the collection files is left out: a dataset of records has the "
                            "same name."));
    int changes = 0;
    registry.listen([&](const InventoryChange&) { ++changes; });
    registry.replace(files, of_files);
    EXPECT_EQ(changes, 0);  // Nothing has changed.
    registry.replace(records, {});
    EXPECT_THAT(shown(registry), ElementsAre("files:a", "files:records/tasks", "files:z"));
    const Inventory without = registry.inventory();
    EXPECT_THAT(without.notes(), IsEmpty());
  }
}

}  // namespace
}  // namespace sluice::query

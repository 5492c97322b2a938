#include <condition_variable>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>

#include <gmock/gmock.h>

#include "sluice/collections/collection_source.h"
#include "sluice/json/reader.h"
#include "sluice/query/row_counter.h"

#include "inventory_watch.h"
#include "temp_folder.h"

namespace sluice::collections {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

CollectionSpec budget(const std::string& folder) {
  CollectionSpec spec = preset("budget").value();
  spec.folder = folder;
  return spec;
}

json::Value golden_facts() {
  std::ifstream file(SLUICE_BUDGET_DATA "/golden_facts.json", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return json::read(text).value();
}

TEST(BudgetPreset, FindsTheNineDatasetsWithTheirDimensions) {
  query::Registry registry;
  const auto source = CollectionSource::start(budget(SLUICE_BUDGET_DATA "/processed"), registry).value();
  EXPECT_THAT(names_of(registry), ElementsAre("2019_BUDGET_LAW", "2019_SPENDING_Q1234", "2020_BUDGET_LAW",
                                              "2023_BUDGET_LAW", "2023_SPENDING_Q1234", "2024_BUDGET_LAW",
                                              "2024_MTEP", "2025_BUDGET_LAW", "2025_SPENDING_Q1"));
  const query::Collection& collection = source->collection();
  EXPECT_EQ(collection.dimensions.at(0).name, "year");
  EXPECT_TRUE(collection.dimensions.at(0).is_integer);
  EXPECT_EQ(collection.dimensions.at(1).name, "source_type");
  EXPECT_EQ(collection.unit, "thousand AMD");
  const query::DatasetPtr spending = registry.inventory().find(collection, {"2025", "SPENDING_Q1"});
  ASSERT_NE(spending, nullptr);
  EXPECT_EQ(spending->uri("schema"), "budget://2025/SPENDING_Q1/schema");
  EXPECT_THAT(spending->read_beside(collection.overall_suffix).value(), HasSubstr("overall_annual_plan"));
}

TEST(BudgetPreset, AcceptsTheFolderOfOlderReleases) {
  const fs::TempFolder folder;
  folder.write("csv/2020_MTEP.csv", "a\n1\n");
  folder.write("csv/2020_MTEP_overall.json", "{}");
  folder.write("csv/2021_MTEP.csv", "a\n1\n");
  folder.write("2021_MTEP.csv", "a\n1\n");
  folder.write("draft_MTEP.csv", "a\n1\n");
  folder.write("csv/MOVED_TO_PARENT_DIRECTORY.txt", "");
  folder.write("xls/2022_MTEP.csv", "a\n1\n");
  query::Registry registry;
  const auto source = CollectionSource::start(budget(folder.path()), registry).value();
  EXPECT_THAT(names_of(registry), ElementsAre("2020_MTEP", "2021_MTEP"));
  EXPECT_EQ(registry.inventory().find("2020_MTEP")->read_beside("_overall.json").value(), "{}");
  EXPECT_EQ(registry.inventory().find("2021_MTEP")->identity().path, "2021_MTEP.csv");
}

TEST(BudgetPreset, IsCountedExactly) {
  query::Registry registry;
  const auto source = CollectionSource::start(budget(SLUICE_BUDGET_DATA "/processed"), registry).value();
  query::EngineSlot slot{engine::EngineOptions{.folders = {source->folder()}}};
  query::Tables tables(system_clock());
  std::mutex mutex;
  std::condition_variable happened;
  std::map<std::string, std::uint64_t> rows;
  query::RowCounter counter({.registry = registry, .engine = slot, .tables = tables, .clock = system_clock()},
                            [&](const query::DatasetPtr& dataset) {
                              const std::lock_guard lock(mutex);
                              EXPECT_EQ(dataset->count_error(), "");
                              rows[dataset->name()] = dataset->row_count();
                              happened.notify_all();
                            });
  counter.start();
  std::unique_lock lock(mutex);
  ASSERT_TRUE(happened.wait_for(lock, kPatience, [&] { return rows.size() == 9; }));
  const json::Value facts = golden_facts();
  ASSERT_EQ(facts.if_array()->size(), 9U);
  for (const json::Value& fact : *facts.if_array()) {
    const std::string name = *fact.find("dataset")->if_string();
    EXPECT_EQ(rows.at(name), static_cast<std::uint64_t>(*fact.find("rows")->if_number()->as_int64())) << name;
  }
  EXPECT_EQ(rows.at("2019_BUDGET_LAW"), 829U);
  EXPECT_EQ(rows.at("2020_BUDGET_LAW"), 802U);
}

}  // namespace
}  // namespace sluice::collections

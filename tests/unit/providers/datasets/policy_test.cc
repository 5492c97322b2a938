// What was computed, kept or named under some rules is not known under others.

#include <map>
#include <memory>
#include <string>

#include <gmock/gmock.h>

#include "sluice/datasets/result_names.h"
#include "sluice/json/reader.h"
#include "sluice/query/engine_slot.h"
#include "sluice/query/tables.h"

#include "answer/answer_cache.h"
#include "data_server.h"
#include "lean/profile_store.h"

namespace sluice::datasets::testing {
namespace {

using server::testing::kLegacyHttp;
using server::testing::kModernHttp;
using ::testing::HasSubstr;

// A table with one column, which is called like the policy that the dataset applies.
class NamedAfterPolicy final : public query::Dataset {
 public:
  explicit NamedAfterPolicy(const std::string& policy)
      : Dataset({.collection = plain_collection(),
                 .name = "orders",
                 .dimensions = {},
                 .path = {},
                 .bytes = 0,
                 .modified = {},
                 .version = "1",
                 .policy = {policy}}) {}

  Result<query::Table> inspect(engine::Engine& /*engine*/,
                               const engine::RunLimits& /*limits*/) const override {
    query::Table table;
    table.columns = {{.name = "policy_" + identity().policy.text, .type = {.id = engine::TypeId::kInt64}}};
    return table;
  }
  Result<query::Relation> open(const query::Table& /*table*/, const engine::RunLimits& /*limits*/,
                               const expression::Question* /*question*/) const override {
    return unsupported("read");
  }
  bool is_current() const override { return true; }
  Result<std::string> read_beside(std::string_view /*suffix*/) const override { return not_found("none"); }
};

expression::Question question_under(const std::string& policy) {
  expression::Question out;
  out.sql = "SELECT * FROM data";
  out.guard = plan::Guard({policy});
  return out;
}

TEST(Policy, IsPartOfTheKeysOfAnswersAndEstimates) {
  std::map<std::string, int> answers;
  std::map<std::string, int> estimates;
  for (int round = 0; round < 2; ++round) {
    for (const char* of_dataset : {"", "north", "south"}) {
      for (const char* of_caller : {"", "north", "south", "south "}) {
        const auto dataset = std::make_shared<NamedAfterPolicy>(of_dataset);
        query::AnswerRequest request;
        request.dataset = dataset;
        request.question = question_under(of_caller);
        ++answers[AnswerCache::key_of(request)];
        ++estimates[AnswerCache::key_of(*dataset, request.question)];
      }
    }
  }
  EXPECT_EQ(answers.size(), 12U);
  EXPECT_EQ(estimates.size(), 12U);
  EXPECT_FALSE(answers.contains(""));
  for (const auto& [key, count] : answers) EXPECT_EQ(count, 2);
  for (const auto& [key, count] : estimates) EXPECT_EQ(count, 2);
}

TEST(Policy, DecidesWhichColumnsATableHas) {
  query::EngineSlot engines({});
  const std::shared_ptr<engine::Engine> engine = engines.get().value();
  query::Tables tables(system_clock());
  for (int round = 0; round < 2; ++round) {
    for (const char* policy : {"", "north", "south"})
      EXPECT_EQ(tables.get(*engine, NamedAfterPolicy(policy), {}).value()->columns.at(0).name,
                "policy_" + std::string(policy));
  }
}

TEST(Policy, DecidesWhatIsKnownOfATable) {
  lean::ProfileStore store(system_clock(), [](const query::DatasetPtr& dataset, const std::stop_token&) {
    lean::TableProfile profile;
    profile.columns.resize(dataset->identity().policy.text.size());
    return std::make_shared<const lean::TableProfile>(std::move(profile));
  });
  std::vector<query::DatasetPtr> datasets;
  for (const char* policy : {"", "n", "no"}) datasets.push_back(std::make_shared<NamedAfterPolicy>(policy));
  for (int round = 0; round < 2; ++round) {
    const auto profiles = store.get(datasets, std::chrono::seconds(30), {});
    for (std::size_t i = 0; i < datasets.size(); ++i) {
      ASSERT_NE(profiles[i].profile, nullptr);
      EXPECT_EQ(profiles[i].profile->columns.size(), i);
    }
  }
  const auto known = store.known();  // What anybody may search.
  ASSERT_EQ(known.size(), 1U);
  EXPECT_TRUE(known[0].second->columns.empty());
}

class PolicyOfCallers : public ::testing::TestWithParam<Dialect> {
 protected:
  PolicyOfCallers() {
    folder.write_settled("people.csv", "id,name\n1,Ann\n2,Bob\n3,Cid\n");
    DataServerOptions options;
    options.policies = [policy = policy](const Principal&) { return *policy; };
    options.profile = ToolProfile::kAll;
    server = std::make_unique<DataServer>(folder.path(), plain_collection(), options);
    client = server->connect(GetParam());
  }

  std::string call(const std::string& tool, const json::Object& arguments) {
    return client->call_tool(tool, json::to_text(arguments)).text({"result", "content", 0, "text"});
  }
  std::string query(const std::string& sql) { return call("query", {{"sql", sql}}); }

  TestFolder folder;
  const std::shared_ptr<PolicyDigest> policy = std::make_shared<PolicyDigest>();  // Changed between calls.
  std::unique_ptr<DataServer> server;
  std::unique_ptr<TestClient> client;
};

TEST_P(PolicyOfCallers, MakesResultsUnknownWhenItChanges) {
  const auto kept = client->call_tool("query", R"({"sql":"SELECT id FROM people ORDER BY id","max_rows":1})");
  const std::string name = kept.text({"result", "_meta", "sluice/result", "name"});
  const std::string handle = kept.text({"result", "_meta", "sluice/result", "handle"});
  query("SELECT 1 AS n");
  call("query", {{"sql", "SELECT 7 AS n"}, {"name", "mine"}});
  const std::string by_handle = "SELECT * FROM handle.\"" + handle + "\"";
  const json::Object page{{"result_handle", handle}};
  const auto expect_known = [&] {
    EXPECT_EQ(query("SELECT * FROM " + name), "id\n1\n2\n3\n");
    EXPECT_EQ(query(by_handle), "id\n1\n2\n3\n");
    EXPECT_EQ(query("SELECT * FROM mine"), "n\n7\n");
    EXPECT_THAT(call("query_next_page", page), HasSubstr("\"id\":3"));
  };
  expect_known();
  for (const char* other : {"north", "south"}) {
    policy->text = other;
    EXPECT_THAT(query("SELECT * FROM " + name), HasSubstr("unknown_handle"));
    EXPECT_THAT(query(by_handle), HasSubstr("unknown_handle"));
    EXPECT_THAT(query("SELECT * FROM mine"), HasSubstr("dataset_not_found"));
    EXPECT_THAT(call("query_next_page", page), HasSubstr("unknown_handle"));
  }
  policy->text.clear();
  expect_known();
}

TEST_P(PolicyOfCallers, MakesFilterTokensThoseOfAnother) {
  const auto read = [](const std::string& text) { return json::read(text).value(); };
  const json::Value found = read(
      call("pattern_filter", {{"dataset", "people"}, {"field", "name"}, {"patterns", json::Array{"Ann"}}}));
  ASSERT_NE(found.find("filter_token"), nullptr) << json::to_text(found);
  const json::Object question{{"dataset", "people"}, {"filters", json::Array{*found.find("filter_token")}}};
  EXPECT_THAT(call("query_data", question), HasSubstr("Ann"));
  policy->text = "north";
  EXPECT_THAT(call("query_data", question), HasSubstr("invalid_filter_token"));
}
INSTANTIATE_TEST_SUITE_P(BothEras, PolicyOfCallers, ::testing::Values(kLegacyHttp, kModernHttp));

TEST(Policy, BelongsToTheOwnerOfANamedResult) {
  const auto is_free = [](std::string_view) { return false; };
  lean::ResultNames names;
  const auto owner = [](const char* policy) {
    return lean::ResultNames::Owner{.principal = local_principal(), .session = {}, .policy = {policy}};
  };
  names.keep(owner("north"), "mine", "h1", is_free);
  names.keep(owner(""), "mine", "h2", is_free);
  EXPECT_EQ(names.find(owner("north"), "mine"), "h1");
  EXPECT_EQ(names.find(owner(""), "mine"), "h2");
  EXPECT_FALSE(names.find(owner("south"), "mine"));
  EXPECT_FALSE(names.has_any(owner("south")));
}

}  // namespace
}  // namespace sluice::datasets::testing

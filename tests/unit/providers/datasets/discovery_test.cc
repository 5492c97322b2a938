#include <stop_token>
#include <thread>

#include "data_server.h"

namespace sluice::datasets::testing {
namespace {

using ::testing::HasSubstr;

TEST(Catalog, SaysWhatThereIsIfNothingFits) {
  DataServer server = DataServer::budget();
  const WireMessage none(server.call("get_catalog", R"({"years":[1999]})"));
  EXPECT_EQ(none.text({"total"}), "0");
  EXPECT_THAT(none.text({"hint"}), ::testing::AllOf(HasSubstr("year: 2019, "), HasSubstr("MTEP")));
  EXPECT_FALSE(WireMessage(server.call("get_catalog", "{}")).has({"hint"}));
  server.registry.replace(budget_collection(), {});
  EXPECT_THAT(WireMessage(server.call("get_catalog", "{}")).text({"hint"}), HasSubstr("no datasets yet"));
}

TEST(Catalog, SaysWhichFilesAreLeftOut) {
  DataServer server = DataServer::budget();
  EXPECT_FALSE(WireMessage(server.call("get_catalog", "{}")).has({"diagnostics"}));
  const query::Inventory inventory = server.registry.inventory();
  server.registry.replace(inventory.collections().front(), inventory.datasets(), {"x.csv is left out"});
  const WireMessage answer(server.call("get_catalog", "{}"));
  EXPECT_EQ(answer.text({"diagnostics"}), R"(["x.csv is left out"])");
  EXPECT_EQ(answer.text({"total"}), "9");
}

TEST(Resources, OfADatasetAreReadByUri) {
  DataServer server = DataServer::budget();
  TestClient& client = server.client();
  EXPECT_EQ(client.call("resources/list").size({"result", "resources"}), 9U);
  EXPECT_EQ(client.call("resources/templates/list").size({"result", "resourceTemplates"}), 10U);
  for (const char* part : {"schema", "catalog", "summary", "full"}) {
    const WireMessage read =
        client.call("resources/read", R"({"uri":"budget://2024/MTEP/)" + std::string(part) + R"("})");
    EXPECT_TRUE(read.is_result()) << part << read.error();
    EXPECT_LE(read.text({"result", "contents", 0, "text"}).size(), 40'000U) << part;
  }
  const auto first_line = [&](const std::string& uri) {
    const std::string text =
        client.call("resources/read", R"({"uri":")" + uri + R"("})").text({"result", "contents", 0, "text"});
    return text.substr(0, text.find('\n'));
  };
  EXPECT_EQ(first_line("budget://2019/state-bodies-summary"), "state_body,state_body_total");
  EXPECT_EQ(first_line("budget://2019/programs-summary"),
            "state_body,program_code,program_name,program_total");
  EXPECT_THAT(first_line("budget://2019/full-data"),
              HasSubstr("state_body,program_code,program_name,program_goal"));
  EXPECT_EQ(client.call("resources/read", R"({"uri":"budget://2018/full-data"})").code(), -32602);
  EXPECT_EQ(client.call("resources/read", R"({"uri":"budget://2018/MTEP/schema"})").code(), -32602);
  EXPECT_EQ(client.call("resources/read", R"({"uri":"budget://2024/MTEP/other"})").code(), -32602);
}

// Every call of the examples can be made as it stands.
TEST(Prompts, ExamplesAreAnswered) {
  DataServer server = DataServer::budget();
  const std::string text = server.client()
                               .call("prompts/get", R"({"name":"query_examples"})")
                               .text({"result", "messages", 0, "content", "text"});
  int calls = 0;
  for (const char* tool : {"get_catalog", "get_schema", "distinct_values", "aggregate", "estimate_query",
                           "query_data", "bulk_filter_multiple_datasets"}) {
    const std::size_t begin = text.find('{', text.find(std::string(" ") + tool + " {"));
    ASSERT_NE(begin, std::string::npos) << tool;
    EXPECT_EQ(server.code(tool, text.substr(begin, text.find('\n', begin) - begin)), "") << tool;
    ++calls;
  }
  EXPECT_EQ(calls, 7);
}

// A loop over the lists of an inventory must not outlive it.
TEST(Discovery, ListsStandWhileTheDatasetsAreReplaced) {
  DataServer server = DataServer::budget();
  std::jthread replacing([&server](const std::stop_token& stop) {
    while (!stop.stop_requested()) server.rescan();
  });
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(server.client().call("resources/templates/list").size({"result", "resourceTemplates"}), 10U);
    EXPECT_EQ(WireMessage(server.call("get_catalog", "{}")).text({"total"}), "9");
  }
}

}  // namespace
}  // namespace sluice::datasets::testing

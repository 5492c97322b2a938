#include "test_clients.h"

namespace sluice::client::testing {
namespace {

using ::testing::Contains;

using Lists = OnEveryTransport;
INSTANTIATE_TEST_SUITE_P(Everywhere, Lists, ::testing::ValuesIn(all_variants()), name_of);

template <typename T>
std::vector<std::string> names_of(const Result<std::vector<T>>& items) {
  std::vector<std::string> names;
  if (items.ok()) {
    for (const T& item : *items) names.push_back(item.name);
  }
  return names;
}

TEST_P(Lists, HaveAllThatTheServerOffers) {
  const auto client = this->client();
  EXPECT_THAT(names_of(client->list_tools()), Contains("echo"));
  EXPECT_THAT(names_of(client->list_resources()), Contains("test://plain"));
  EXPECT_THAT(names_of(client->list_templates()), Contains("item"));
  EXPECT_THAT(names_of(client->list_prompts()), Contains("greeting"));
}

TEST_P(Lists, AreAskedForAgainWhenTheServerSaysThatTheyChanged) {
  Heard heard;
  ClientOptions options = this->options();
  options.on_list_changed = [&](ListKind kind) { heard.add(kind == ListKind::kTools ? "tools" : "other"); };
  const auto client = this->client(options);
  EXPECT_THAT(names_of(client->list_tools()), ::testing::Not(Contains("grown")));
  EXPECT_EQ(text_of(client->call_tool("grow", {})), "grown");
  EXPECT_TRUE(heard.wait_for("tools"));
  EXPECT_THAT(names_of(client->list_tools()), Contains("grown"));
}

TEST(ListLimits, AListThatNeverEndsIsGivenUp) {
  ClientOptions options;
  options.list_items_max = 50;
  EXPECT_EQ(code_of(make_client(misbehaving("endless_list"), options)->list_tools()), "list_too_long");
}

TEST(ListLimits, APageThatLeadsToItselfIsNoList) {
  EXPECT_EQ(code_of(make_client(misbehaving("same_page"))->list_tools()), "result_invalid");
}

}  // namespace
}  // namespace sluice::client::testing

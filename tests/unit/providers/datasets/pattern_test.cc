#include "data_server.h"

namespace sluice::datasets::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kScience =
    R"({"year":2023,"source_type":"BUDGET_LAW","field":"program_name","patterns":["գիտական"])";

TEST(PatternFilter, GivesATokenThatQueriesTake) {
  DataServer server = DataServer::budget();
  const WireMessage answer(server.call("pattern_filter", std::string(kScience) + "}"));
  const std::string token = json::to_text(answer.at({"filter_token"}));
  const std::string rows = answer.text({"diagnostics", "rows"});
  const std::string base = R"({"year":2023,"source_type":"BUDGET_LAW","filters":[)";
  EXPECT_EQ(WireMessage(server.call("aggregate", base + token + R"(],"aggs":[{"fn":"count"}]})"))
                .text({"data", 0, "count"}),
            rows);
  const WireMessage estimate(server.call("estimate_query", base + token + "]}"));
  const std::string kind = estimate.text({"row_estimate_kind"});
  EXPECT_FALSE(kind.empty());
  if (kind == "exact") {  // A slow machine may only sample.
    EXPECT_EQ(estimate.text({"row_estimate"}), rows);
  }
  std::string altered = token;
  altered.replace(altered.find("Գ"), std::string("Գ").size(), "Դ");
  EXPECT_EQ(server.code("query_data", base + altered + "]}"), "invalid_filter_token");
}

TEST(PatternFilter, ATokenIsItsOwnersAlone) {
  DataServer server = DataServer::budget();
  const auto mine = server.connect(server::testing::kModernHttp, {.principal = {.id = "token:mine"}});
  const auto yours = server.connect(server::testing::kModernHttp, {.principal = {.id = "token:yours"}});
  const WireMessage made = mine->call_tool("pattern_filter", std::string(kScience) + "}");
  const std::string token = json::to_text(made.at({"result", "structuredContent", "filter_token"}));
  const std::string query = R"({"year":2023,"source_type":"BUDGET_LAW","limit":1,"filters":[)" + token + "]}";
  EXPECT_FALSE(mine->call_tool("query_data", query).has({"result", "isError"}));
  EXPECT_THAT(yours->call_tool("query_data", query).text({"result", "content", 0, "text"}),
              HasSubstr("invalid_filter_token"));
}

TEST(PatternFilter, LeavesOutWhatIsExcluded) {
  DataServer server = DataServer::budget();
  const std::string base =
      R"({"year":2023,"source_type":"BUDGET_LAW","field":"program_name","patterns":["գիտական"],"mode":"permissive")";
  const WireMessage all(server.call("pattern_filter", base + "}"));
  const WireMessage less(server.call("pattern_filter", base + R"(,"exclude":["մասնագիտական"]})"));
  const auto matched = [](const WireMessage& answer) {
    return answer.at({"diagnostics", "matched"}).if_number()->as_double();
  };
  EXPECT_GT(matched(all), matched(less));
  EXPECT_GT(less.at({"diagnostics", "excluded"}).if_number()->as_double(), 0);
}

class PatternAsks : public server::testing::DialectTest {};

TEST_P(PatternAsks, ThroughTheClientWhereItCanBeAsked) {
  DataServer server = DataServer::budget();
  const auto client = server.connect(GetParam(), {.capabilities = R"({"elicitation":{"form":{}}})"});
  const std::string arguments =
      R"({"year":2023,"source_type":"BUDGET_LAW","field":"program_name","patterns":["ապահովում"],"mode":"strict"})";
  const std::string accepted = R"({"action":"accept","content":{"all":true}})";
  WireMessage reply;
  if (GetParam().modern()) {
    const WireMessage asked = client->call_tool("pattern_filter", arguments);
    ASSERT_EQ(asked.text({"result", "resultType"}), "input_required");
    reply = client->call("tools/call", R"({"name":"pattern_filter","arguments":)" + arguments +
                                           R"(,"inputResponses":{"pattern":)" + accepted +
                                           R"(},"requestState":)" +
                                           json::to_text(asked.at({"result", "requestState"})) + "}");
  } else {
    const auto pending = client->start_tool("pattern_filter", arguments);
    client->answer(pending->next(), accepted);
    reply = pending->reply();
  }
  EXPECT_EQ(reply.text({"result", "structuredContent", "status"}), "confirmed") << reply.error();
}

// The form shows the most frequent values, whatever their number.
TEST_P(PatternAsks, AboutValuesThatItShows) {
  TestFolder folder;
  std::string csv = "fruit\n";
  for (int i = 0; i < 250; ++i) csv += "apple number " + std::to_string(i) + "\n";
  folder.write("t.csv", csv + "apple number 0\n");
  DataServer server(folder.path(), plain_collection());
  const auto client = server.connect(GetParam(), {.capabilities = R"({"elicitation":{"form":{}}})"});
  const std::string arguments = R"({"dataset":"t","field":"fruit","patterns":["apple"],"mode":"permissive"})";
  const std::string accepted = R"({"action":"accept","content":{"value_0":false,"others":false}})";
  WireMessage form;
  WireMessage reply;
  if (GetParam().modern()) {
    const WireMessage asked = client->call_tool("pattern_filter", arguments);
    ASSERT_EQ(asked.text({"result", "resultType"}), "input_required");
    form = asked;
    reply = client->call("tools/call", R"({"name":"pattern_filter","arguments":)" + arguments +
                                           R"(,"inputResponses":{"pattern":)" + accepted +
                                           R"(},"requestState":)" +
                                           json::to_text(asked.at({"result", "requestState"})) + "}");
  } else {
    const auto pending = client->start_tool("pattern_filter", arguments);
    form = pending->next();
    client->answer(form, accepted);
    reply = pending->reply();
  }
  EXPECT_THAT(form.text({}), HasSubstr(R"("title":"apple number 0")"));
  EXPECT_THAT(form.text({}), HasSubstr("the other 230 values"));
  EXPECT_EQ(reply.text({"result", "structuredContent", "diagnostics", "matched"}), "19") << reply.error();
}

INSTANTIATE_TEST_SUITE_P(Eras, PatternAsks, ::testing::ValuesIn(server::testing::both_eras()),
                         server::testing::dialect_name);

TEST(PatternFilter, SaysThatItDidNotLookAtAllValues) {
  TestFolder folder;
  std::string csv = "name\nrare pear\n";
  csv.reserve(4'000'000);
  for (int i = 0; i < 200'010; ++i) csv += "item" + std::to_string(i) + "\n";
  for (int i = 0; i < 3; ++i) csv += "apple\n";
  folder.write("t.csv", csv);
  DataServer server(folder.path(), plain_collection());
  const WireMessage answer(
      server.call("pattern_filter", R"({"dataset":"t","field":"name","patterns":["apple"]})"));
  EXPECT_EQ(answer.text({"diagnostics", "matched"}), "1");
  EXPECT_THAT(answer.text({"warnings", 0}), HasSubstr("200000 most frequent"));
  const WireMessage few(DataServer::budget().call("pattern_filter", std::string(kScience) + "}"));
  EXPECT_FALSE(few.has({"warnings"}));
}

TEST(PatternFilter, RefusesWhatItCannotUse) {
  DataServer server = DataServer::budget();
  const std::string base = R"({"year":2023,"source_type":"BUDGET_LAW","field":"program_name",)";
  EXPECT_EQ(server.code("pattern_filter", base + R"("patterns":[]})"), "invalid_pattern");
  EXPECT_EQ(server.code("pattern_filter", base + R"("patterns":["..."]})"), "invalid_pattern");
  std::string many;
  for (int i = 0; i < 1'001; ++i) many += (i > 0 ? ",\"w" : "\"w") + std::to_string(i) + "\"";
  EXPECT_EQ(server.code("pattern_filter", base + R"("patterns":[)" + many + "]}"), "invalid_pattern");
  EXPECT_EQ(
      server.code("pattern_filter",
                  R"({"year":2023,"source_type":"BUDGET_LAW","field":"subprogram_total","patterns":["x"]})"),
      "invalid_column");
}

}  // namespace
}  // namespace sluice::datasets::testing

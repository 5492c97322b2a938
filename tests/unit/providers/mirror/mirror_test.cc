// read_resource and list_resources over providers that return more than fits into an answer.

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "sluice/base/base64.h"
#include "sluice/catalog/registry.h"
#include "sluice/json/reader.h"
#include "sluice/mirror/mirror_provider.h"

#include "test_client.h"
#include "test_server.h"

namespace sluice::mirror {
namespace {

using server::testing::parse;
using server::testing::TestClient;
using server::testing::WireMessage;

constexpr std::size_t kAnswerBytes = 2'800;  // 700 tokens

// A server whose resources ignore the budget of a read.
class MirrorTest : public ::testing::Test {
 protected:
  void add(const std::string& uri, std::vector<protocol::ResourceContents> contents) {
    protocol::Resource resource;
    resource.uri = uri;
    resource.name = uri;
    registry_->add_resource(std::move(resource),
                            [contents = std::move(contents)](const ResourceUri&, catalog::Context& context) {
                              protocol::ReadResult result;
                              result.contents = contents;
                              result.meta.set("room", context.budget().bytes);
                              return Result<protocol::ReadResult>(std::move(result));
                            });
  }

  static protocol::ResourceContents text(const std::string& uri, std::string body) {
    protocol::ResourceContents out;
    out.uri = uri;
    out.mime_type = "application/json";
    out.body = protocol::TextBody{.text = std::move(body)};
    return out;
  }

  // Every answer of a walk through a resource, as JSON.
  std::vector<json::Value> walk(const std::string& uri) {
    start();
    std::vector<json::Value> answers;
    std::string arguments = json::to_text(json::Object{{"uri", uri}});
    while (answers.size() < 500) {
      const WireMessage reply = client_->call_tool("read_resource", arguments);
      const std::string answer = reply.text({"result", "content", 0, "text"});
      EXPECT_LE(answer.size(), kAnswerBytes) << arguments;
      EXPECT_FALSE(reply.has({"result", "isError"})) << answer;
      answers.push_back(parse(answer));
      const json::Value* next = answers.back().find("next");
      if (next == nullptr) return answers;
      arguments = json::to_text(*next);
    }
    ADD_FAILURE() << uri << " does not end";
    return answers;
  }

  static std::vector<std::string> bodies(const std::vector<json::Value>& answers, const char* key = "text") {
    std::vector<std::string> out;
    for (const json::Value& answer : answers) {
      for (const json::Value& item : *answer.find("contents")->if_array()) {
        if (const json::Value* body = item.find(key)) out.push_back(*body->if_string());
      }
    }
    return out;
  }

  std::string call(const std::string& arguments, const char* tool = "read_resource") {
    start();
    return client_->call_tool(tool, arguments).text({"result", "content", 0, "text"});
  }

  void start() {
    if (server_ != nullptr) return;
    server::ServerOptions options;
    options.budget.tokens = 700;
    std::vector<std::shared_ptr<catalog::Provider>> providers{registry_};
    providers.push_back(make_mirror_provider(providers));
    server_ = server::Server::create(std::move(options), std::move(providers)).value();
    client_ = std::make_unique<TestClient>(*server_, server::testing::kModernPipe);
  }

  std::shared_ptr<catalog::Registry> registry_ = std::make_shared<catalog::Registry>("test");
  std::unique_ptr<server::Server> server_;
  std::unique_ptr<TestClient> client_;
};

std::string rows_text(int count) {
  std::string out;
  for (int i = 0; i < count; ++i)
    out += (i == 0 ? "" : ",") + json::to_text(json::Object{{"n", i}, {"text", R"(a "quoted" text)"}});
  return out;
}

TEST_F(MirrorTest, JsonIsCutBetweenRowsAndStaysValid) {
  add("x://rows", {text("x://rows", "[" + rows_text(400) + "]")});
  int n = 0;
  for (const std::string& page : bodies(walk("x://rows"))) {
    const json::Value rows = parse(page);
    for (const json::Value& row : *rows.if_array())
      EXPECT_EQ(row.find("n")->if_number()->as_int64(), n++) << page;
  }
  EXPECT_EQ(n, 400);
}

TEST_F(MirrorTest, TheObjectAroundRowsCountsWhatItShows) {
  protocol::ResourceContents table =
      text("x://table", R"({"type":"t","data":[)" + rows_text(200) +
                            R"(],"returned":200,"total_rows":900,"next":"x://p2"})");
  table.meta.set("sluice/next", "x://p2");
  table.meta.set("sluice/rows", 200);
  add("x://table", {table});
  add("x://p2", {text("x://p2", R"({"data":[{"n":200}],"returned":1,"total_rows":900})")});
  const std::vector<json::Value> answers = walk("x://table");
  int n = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const json::Value& item = (*answers[i].find("contents")->if_array())[0];
    const json::Value page = parse(*item.find("text")->if_string());
    const json::Array& rows = *page.find("data")->if_array();
    EXPECT_EQ(page.find("returned")->if_number()->as_int64(), static_cast<std::int64_t>(rows.size()));
    EXPECT_EQ(page.find("total_rows")->if_number()->as_int64(), 900);
    for (const json::Value& row : rows) EXPECT_EQ(row.find("n")->if_number()->as_int64(), n++);
    if (n >= 200) continue;
    // What the provider says of its own page would skip rows.
    EXPECT_TRUE(page.find("next")->is_null());
    EXPECT_EQ(item.find("sluice/next"), nullptr);
    EXPECT_EQ(item.find("sluice/rows"), nullptr);
  }
  EXPECT_EQ(n, 201);
}

TEST_F(MirrorTest, ARowThatIsLargerThanAnAnswerComesInParts) {
  const std::string huge = json::to_text(json::Object{{"h", std::string(9'000, 'h')}});
  add("x://huge", {text("x://huge", R"({"a":"b","rows":[)" + huge + "," + rows_text(3) + "," + huge + "]}")});
  const std::vector<std::string> pages = bodies(walk("x://huge"));
  EXPECT_EQ(pages[0], R"({"a":"b","rows":[]})");
  std::string parts;
  std::size_t at = 1;
  while (at < pages.size() && !pages[at].starts_with(R"({"a":"b")")) parts += pages[at++];
  EXPECT_EQ(parts, huge);
  ASSERT_LT(at, pages.size());
  EXPECT_EQ(pages[at++], R"({"a":"b","rows":[)" + rows_text(3) + "]}");
  parts.clear();
  while (at < pages.size()) parts += pages[at++];
  EXPECT_EQ(parts, huge);
}

TEST_F(MirrorTest, TextIsCutBetweenCharacters) {
  std::string whole;
  for (int i = 0; i < 2'000; ++i) whole += "\"é€😀\n";
  add("x://text", {text("x://text", whole)});
  add("x://braces", {text("x://braces", "{ no JSON " + whole)});
  for (const std::string uri : {"x://text", "x://braces"}) {
    std::string joined;
    for (const std::string& page : bodies(walk(uri))) joined += page;
    EXPECT_EQ(joined, (uri == "x://braces" ? "{ no JSON " : "") + whole);
  }
}

TEST_F(MirrorTest, LargeBinaryContentIsShownInPartsOnRequest) {
  std::string bytes;
  while (bytes.size() < 10'000) bytes.push_back(static_cast<char>(bytes.size() * 7));
  protocol::ResourceContents blob = text("x://blob", "");
  blob.body = protocol::BlobBody{.bytes = bytes};
  add("x://blob", {blob});
  const std::vector<json::Value> answers = walk("x://blob");
  EXPECT_EQ(json::to_text(answers[0]).find("blob\":\""), std::string::npos);
  EXPECT_THAT(json::to_text(answers[0]), ::testing::HasSubstr(R"("bytes":10000)"));
  std::string joined;
  for (const std::string& part : bodies(answers, "blob")) joined += base64_decode(part).value_or("");
  EXPECT_EQ(joined, bytes);
}

TEST_F(MirrorTest, ManyContentsAreContinuedByItem) {
  std::vector<protocol::ResourceContents> items;
  for (int i = 0; i < 100; ++i) items.push_back(text("x://many/" + std::to_string(i), std::string(100, 'x')));
  add("x://many", items);
  std::vector<std::string> seen;
  for (const json::Value& answer : walk("x://many")) {
    for (const json::Value& item : *answer.find("contents")->if_array())
      seen.push_back(*item.find("uri")->if_string());
  }
  ASSERT_EQ(seen.size(), 100U);
  EXPECT_EQ(seen[99], "x://many/99");
}

TEST_F(MirrorTest, TheProviderIsAskedForWhatFits) {
  std::uint64_t room = 0;
  protocol::Resource resource;
  resource.uri = "x://room";
  resource.name = "room";
  registry_->add_resource(std::move(resource), [&room](const ResourceUri&, catalog::Context& context) {
    room = context.budget().bytes;
    return Result<protocol::ReadResult>(protocol::ReadResult{});
  });
  EXPECT_EQ(call(R"({"uri":"x://room"})"), R"({"contents":[]})");
  EXPECT_GT(room, 2'000U);
  EXPECT_LT(room, kAnswerBytes);
}

TEST_F(MirrorTest, CursorsOfOthersAreRefused) {
  add("x://rows", {text("x://rows", "[" + rows_text(400) + "]")});
  for (const std::string cursor : {"", "x", "r", "r1", "r0.1", "r0.1.2.3", "r0.99999.0", "r9.0.0", "b0.0.0",
                                   "r0.-1.0", "t0.0.99999999999999999999999", "!!"})
    EXPECT_THAT(call(json::to_text(json::Object{{"uri", "x://rows"}, {"cursor", cursor}})),
                ::testing::HasSubstr(R"("code":"invalid_cursor")"))
        << cursor;
}

TEST_F(MirrorTest, ListsNameEachTemplateAndResourceOnce) {
  for (int i = 0; i < 150; ++i) {
    add("x://r" + std::to_string(1'000 + i), {});
    protocol::ResourceTemplate made;
    made.uri_template = "y://" + std::to_string(1'000 + i) + "/{id}";
    made.name = "t";
    ASSERT_TRUE(registry_
                    ->add_template(made,
                                   [](const ResourceUri&, const TemplateValues&, catalog::Context&) {
                                     return Result<protocol::ReadResult>(protocol::ReadResult{});
                                   })
                    .ok());
  }
  std::vector<std::string> seen;
  std::string arguments = "{}";
  for (int pages = 0; pages < 500; ++pages) {
    const std::string answer = call(arguments, "list_resources");
    EXPECT_LE(answer.size(), kAnswerBytes);
    const json::Value page = parse(answer);
    if (const json::Value* templates = page.find("templates")) {
      for (const json::Value& one : *templates->if_array())
        seen.push_back(*one.find("uriTemplate")->if_string());
    }
    for (const json::Value& one : *page.find("resources")->if_array())
      seen.push_back(*one.find("uri")->if_string());
    const json::Value* cursor = page.find("next_cursor");
    EXPECT_EQ(*page.find("has_more")->if_bool(), cursor != nullptr);
    if (cursor == nullptr) break;
    arguments = json::to_text(json::Object{{"cursor", *cursor}});
  }
  std::vector<std::string> expected;
  for (int i = 0; i < 150; ++i) expected.push_back("y://" + std::to_string(1'000 + i) + "/{id}");
  for (int i = 0; i < 150; ++i) expected.push_back("x://r" + std::to_string(1'000 + i));
  EXPECT_EQ(seen, expected);
}

}  // namespace
}  // namespace sluice::mirror

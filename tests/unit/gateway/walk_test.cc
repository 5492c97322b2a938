// Everything that a gateway answers, read to its end with small limits: each entry and each byte is there
// exactly once, and no answer is larger than the operator allows.

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "sluice/base/base64.h"
#include "sluice/json/reader.h"

#include "node_server.h"

namespace sluice::gateway::testing {
namespace {

using ::testing::HasSubstr;

server::ServerOptions with_bytes(std::uint64_t bytes) {
  server::ServerOptions options;
  options.budget.bytes = bytes;
  options.budget.tokens = 1'000'000;
  return options;
}

// Quotes, line ends and characters of several bytes, so that a text is longer once it is written.
std::string prose(std::size_t bytes, int seed = 0) {
  static const std::vector<std::string> kPieces = {"a", "\"", "\n", "é", "€", "😀", "\\", "word ", "\x01"};
  std::string out = std::to_string(seed) + ":";
  for (std::size_t i = static_cast<std::size_t>(seed); out.size() < bytes; i = i * 7 + 3)
    out += kPieces[i % kPieces.size()];
  return out;
}

std::string text_at(const json::Value& value, const std::string& key) {
  const json::Value* found = value.find(key);
  return found == nullptr || found->if_string() == nullptr ? "" : *found->if_string();
}

class Walk {
 public:
  Walk(TestClient& client, std::size_t bytes_max) : client_(client), bytes_max_(bytes_max) {}

  json::Value call(const std::string& tool, const json::Object& arguments) {
    const WireMessage reply = client_.call_tool(tool, json::to_text(arguments));
    EXPECT_LE(reply.text({"result", "content", 0, "text"}).size(), bytes_max_) << tool;
    return structured(reply);
  }
  std::vector<std::string> list(const std::string& tool, const std::string& key, const std::string& member,
                                json::Object arguments = {}) {
    std::vector<std::string> seen;
    for (int pages = 0; pages < 5'000; ++pages) {
      const json::Value page = call(tool, arguments);
      for (const json::Value& each : *page.find(key)->if_array()) seen.push_back(text_at(each, member));
      const std::string next = text_at(page, "next_cursor");
      EXPECT_EQ(page.find("truncated") != nullptr, !next.empty());
      if (next.empty()) return seen;
      arguments.set("cursor", next);
    }
    ADD_FAILURE() << tool << " does not end";
    return seen;
  }
  // The whole of what a result of resources_read begins, or leads to.
  std::string whole(const json::Value& result) {
    std::string out = text_at(result, "text");
    std::string uri = text_at(result, "next");
    if (const json::Value* artifact = result.find("artifact"); artifact != nullptr && out.empty())
      uri = text_at(*artifact, "uri");
    if (uri.empty()) return out;
    return out + parts(uri);
  }
  std::string parts(const std::string& uri) {
    std::string out;
    json::Object arguments{{"uri", uri}};
    if (!uri.starts_with("artifact://")) arguments.set("offset", 0);
    for (int pages = 0; pages < 5'000; ++pages) {
      const json::Value answer = call("fs.resources_read", arguments);
      const json::Value& result = *answer.find("result");
      EXPECT_EQ(text_at(result, "error"), "");
      out += text_at(result, "text");
      const json::Value* next = result.find("next_offset");
      if (next == nullptr) return out;
      arguments = {{"uri", uri.substr(0, uri.find('?'))}, {"offset", *next}};
    }
    ADD_FAILURE() << uri << " does not end";
    return out;
  }

 private:
  TestClient& client_;
  const std::size_t bytes_max_;
};

protocol::ResourceContents text_item(const std::string& uri, std::string text) {
  return {.uri = uri, .mime_type = "text/plain", .body = protocol::TextBody{std::move(text)}, .meta = {}};
}

TEST(GatewayWalk, ListsOfResourcesAndTemplatesGoOnToTheirEnd) {
  for (const std::size_t bytes : {2'000U, 20'000U}) {
    NodeServer server;
    const auto script = server.add("fs");
    std::vector<std::string> uris;
    for (int i = 1'000; i < 1'700; ++i) {
      uris.push_back("file:///data/" + std::to_string(i));
      script->add_resource(uris.back());
      if (i % 50 == 0) script->resources.back().description = std::string(9'000, 'd');
      script->add_template("db://t" + std::to_string(i) + "/{id}");
    }
    server.start({}, with_bytes(bytes));
    const auto client = server.connect();
    Walk walk(*client, bytes);
    EXPECT_EQ(walk.list("fs.resources_list", "resources", "uri"), uris);
    EXPECT_EQ(walk.list("fs.resources_list", "resources", "uri", {{"limit", 9}}), uris);
    EXPECT_EQ(walk.list("fs.resources_templates_list", "templates", "uri_template").size(), 700U);
    EXPECT_EQ(walk.list("fs.resources_list", "resources", "uri", {{"prefix", "file:///data/12"}}).size(),
              100U);
    EXPECT_EQ(walk.list("fs.resources_list", "resources", "uri", {{"prefix", "http:"}}).size(), 0U);
    const WireMessage bad = client->call_tool("fs.resources_list", R"({"cursor":"%"})");
    EXPECT_THAT(bad.text({"result", "content", 0, "text"}), HasSubstr("invalid_cursor"));
  }
}

TEST(GatewayWalk, ReadsShowEveryByteOnce) {
  std::vector<NodeConfig> configs(4);
  configs[1].cache.inline_text_if_under_chars = 50'000;  // More than an answer holds.
  configs[2].cache.inline_text_if_under_chars = 100;
  configs[3].artifact_extraction.resources.cache_reads_to_artifacts = false;
  for (const NodeConfig& config : configs) {
    for (const std::size_t bytes : {2'000U, 32'000U}) {
      NodeServer server;
      server.add("fs", config)->on_read = [](const std::string& uri,
                                             const client::CallOptions&) -> Result<protocol::ReadResult> {
        protocol::ReadResult result;
        result.contents.push_back(text_item(uri, prose(std::stoul(uri.substr(2)))));
        return result;
      };
      server.start({}, with_bytes(bytes));
      const auto client = server.connect();
      Walk walk(*client, bytes);
      for (const std::size_t size :
           {10U, 1'500U, 2'100U, 9'999U, 10'005U, 31'000U, 33'000U, 49'000U, 120'000U}) {
        const std::string uri = "x:" + std::to_string(size);
        const json::Value answer = walk.call("fs.resources_read", {{"uri", uri}});
        EXPECT_EQ(walk.whole(*answer.find("result")), prose(size)) << size << " of " << bytes;
        EXPECT_EQ(walk.parts(uri), prose(size)) << "by offset alone";
      }
    }
  }
}

TEST(GatewayWalk, SeveralContentsGoOnToTheirEnd) {
  for (const std::size_t bytes : {2'000U, 32'000U}) {
    NodeServer server;
    std::vector<std::string> texts;
    for (int i = 0; i < 150; ++i) texts.push_back(prose(static_cast<std::size_t>(i) * 613 % 12'000, i));
    server.add("fs")->on_read = [&](const std::string&,
                                    const client::CallOptions&) -> Result<protocol::ReadResult> {
      protocol::ReadResult result;
      for (std::size_t i = 0; i < texts.size(); ++i)
        result.contents.push_back(text_item("x:" + std::to_string(i), texts[i]));
      return result;
    };
    server.start({}, with_bytes(bytes));
    const auto client = server.connect();
    Walk walk(*client, bytes);
    std::vector<std::string> seen;
    json::Object arguments{{"uri", "x:all"}};
    for (int pages = 0; pages < 200; ++pages) {
      const json::Value answer = walk.call("fs.resources_read", arguments);
      const json::Value& result = *answer.find("result");
      for (const json::Value& item : *result.find("items")->if_array()) {
        EXPECT_EQ(text_at(item, "uri"), "x:" + std::to_string(seen.size()));
        seen.push_back(walk.whole(item));
      }
      if (result.find("next_item") == nullptr) break;
      arguments.set("item", *result.find("next_item"));
    }
    EXPECT_EQ(seen, texts);
    // As contents: together they are bounded, and each says how it goes on.
    const WireMessage read = client->call("resources/read", R"({"uri":"fs+x:all"})");
    ASSERT_EQ(read.size({"result", "contents"}), texts.size());
    std::size_t shown = 0;
    for (int i = 0; i < static_cast<int>(texts.size()); ++i) {
      std::string text = read.text({"result", "contents", i, "text"});
      shown += text.size();
      if (read.has({"result", "contents", i, "_meta", "sluice/next"})) {
        const std::string mark = "\n\n[Content truncated...]";
        ASSERT_TRUE(text.ends_with(mark));
        text.resize(text.size() - mark.size());
        text += walk.parts(read.text({"result", "contents", i, "_meta", "sluice/next"}));
      }
      EXPECT_EQ(text, texts[static_cast<std::size_t>(i)]);
    }
    EXPECT_LE(shown, 110'000U);
  }
}

// An upstream that gives `page` bytes of a text at a time, and names the next page in `_meta`.
void serve_pages(Script& script, const std::string& whole, std::size_t page, const std::string& key) {
  script.on_read = [=](const std::string& uri, const client::CallOptions&) -> Result<protocol::ReadResult> {
    const std::size_t mark = uri.find("?at=");
    const std::size_t at = mark == std::string::npos ? 0 : std::stoul(uri.substr(mark + 4));
    protocol::ReadResult result;
    result.contents.push_back(text_item(uri, whole.substr(at, page)));
    if (at + page < whole.size())
      result.contents.back().meta.set(key, "file:///long.txt?at=" + std::to_string(at + page));
    return result;
  };
}

// The text that resources/read gives, from a URI on.
std::string read_on(TestClient& client, std::string uri) {
  const std::string mark = "\n\n[Content truncated...]";
  std::string seen;
  for (int pages = 0; pages < 100 && !uri.empty(); ++pages) {
    const WireMessage read = client.call("resources/read", json::to_text(json::Object{{"uri", uri}}));
    if (!read.has({"result", "contents", 0, "text"})) return seen + json::to_text(read.value());
    std::string text = read.text({"result", "contents", 0, "text"});
    if (text.ends_with(mark)) text.resize(text.size() - mark.size());
    seen += text;
    const json::Value contents = read.at({"result", "contents", 0});
    const json::Value* meta = contents.find("_meta");
    uri = meta == nullptr ? "" : text_at(*meta, "sluice/next");
    if (uri.empty() && meta != nullptr) uri = text_at(*meta, "next");
  }
  return seen;
}

TEST(GatewayWalk, PagesOfAnUpstreamAreFollowedToTheirEnd) {
  std::vector<NodeConfig> configs(2);
  configs[1].cache.inline_text_if_under_chars = 100;
  std::string lines;
  for (int i = 0; i < 2'000; ++i) lines += std::to_string(i) + " \"line\"\n";
  // Pages with the same content go on at different places.
  for (const std::string& whole : {lines, std::string(20'000, 'x')}) {
    for (const NodeConfig& config : configs) {
      for (const std::size_t bytes : {2'000U, 32'000U}) {
        for (const std::string key : {"sluice/next", "next"}) {
          NodeServer server;
          serve_pages(*server.add("fs", config), whole, 5'000, key);
          server.start({}, with_bytes(bytes));
          const auto client = server.connect();
          EXPECT_EQ(read_on(*client, "fs+file:///long.txt"), whole) << bytes << " " << key;
          // The same by the generated tool.
          Walk walk(*client, bytes);
          std::string by_tool;
          std::string next = "file:///long.txt";
          for (int pages = 0; pages < 100 && !next.empty(); ++pages) {
            const json::Value answer = walk.call("fs.resources_read", {{"uri", next}});
            const json::Value& result = *answer.find("result");
            EXPECT_EQ(text_at(result, "error"), "");
            by_tool += text_at(result, "text");
            next = text_at(result, "next");
            if (pages == 0) {
              EXPECT_EQ(by_tool + read_on(*client, next), whole) << "what the tool names can be read as well";
            }
            const json::Value* artifact = result.find("artifact");
            if (next.empty() && artifact != nullptr) next = text_at(*artifact, "uri");
          }
          EXPECT_EQ(by_tool, whole) << bytes << " " << key;
        }
      }
    }
  }
}

TEST(GatewayWalk, OfSeveralContentsOneCanBeReadByOffset) {
  NodeServer server;
  server.add("fs")->on_read = [](const std::string&,
                                 const client::CallOptions&) -> Result<protocol::ReadResult> {
    protocol::ReadResult result;
    result.contents.push_back(text_item("x:0", "first"));
    result.contents.push_back(text_item("x:1", "second"));
    return result;
  };
  server.start();
  const auto client = server.connect();
  Walk walk(*client, 32'000);
  const auto read = [&](const json::Object& arguments) {
    return walk.call("fs.resources_read", arguments).find("result")->find("text")->if_string()->substr();
  };
  EXPECT_EQ(read({{"uri", "x:all"}, {"offset", 2}}), "rst");
  EXPECT_EQ(read({{"uri", "x:all"}, {"offset", 2}, {"item", 1}}), "cond");
  EXPECT_EQ(
      text_at(*walk.call("fs.resources_read", {{"uri", "x:all"}, {"offset", 0}, {"item", 2}}).find("result"),
              "error"),
      "Resource has no content");
}

TEST(GatewayWalk, AnOffsetGivenAsAnArgumentCountsMoreThanThatOfTheUri) {
  NodeServer server;
  (void)server.add("fs");
  server.start();
  const auto client = server.connect();
  const ArtifactRef kept = take(server.artifacts().put(
      local_principal(), "0123456789",
      {.name_space = "fs", .mime_type = "text/plain", .filename = "x", .source = "x"}));
  Walk walk(*client, 32'000);
  const auto read = [&](json::Object arguments) {
    arguments.set("uri", artifact_uri(kept) + "?offset=2&length=3");
    return text_at(*walk.call("fs.resources_read", arguments).find("result"), "text");
  };
  EXPECT_EQ(read({}), "234");
  EXPECT_EQ(read({{"offset", 5}}), "567");
  EXPECT_EQ(read({{"length", 1}}), "2");
}

TEST(GatewayWalk, FailedReadsSayWhatToDo) {
  NodeServer server;
  server.add("fs")->on_read = [](const std::string&,
                                 const client::CallOptions&) -> Result<protocol::ReadResult> {
    return deadline_exceeded();
  };
  server.start();
  const auto client = server.connect();
  Walk walk(*client, 32'000);
  const json::Value answer = walk.call("fs.resources_read", {{"uri", "x:1"}});
  const json::Value& result = *answer.find("result");
  EXPECT_THAT(text_at(result, "error"), HasSubstr("did not answer in time"));
  EXPECT_EQ(text_at(result, "code"), "upstream_timeout");
  EXPECT_THAT(text_at(result, "hint"), HasSubstr("call again"));
}

TEST(GatewayWalk, BinariesAreReadInParts) {
  NodeServer server;
  std::string bytes;
  for (int i = 0; i < 5'000; ++i) bytes += static_cast<char>(i * 37);
  server.add("fs")->on_read = [&](const std::string& uri,
                                  const client::CallOptions&) -> Result<protocol::ReadResult> {
    protocol::ReadResult result;
    result.contents.push_back(
        {.uri = uri, .mime_type = "image/png", .body = protocol::BlobBody{bytes}, .meta = {}});
    return result;
  };
  server.start({}, with_bytes(2'000));
  const auto client = server.connect();
  Walk walk(*client, 2'000);
  const json::Value first = walk.call("fs.resources_read", {{"uri", "x:1"}});
  const std::string uri = text_at(*first.find("result")->find("artifact"), "uri");
  std::string seen;
  json::Object arguments{{"uri", uri}};
  for (int pages = 0; pages < 100; ++pages) {
    const json::Value answer = walk.call("fs.resources_read", arguments);
    seen += *base64_decode(text_at(*answer.find("result"), "blob"));
    if (answer.find("result")->find("next_offset") == nullptr) break;
    arguments.set("offset", *answer.find("result")->find("next_offset"));
  }
  EXPECT_EQ(seen, bytes);
}

TEST(GatewayWalk, ArtifactsOfOthersAreNotRead) {
  NodeServer server;
  server.add("fs")->on_read = [](const std::string& uri,
                                 const client::CallOptions&) -> Result<protocol::ReadResult> {
    protocol::ReadResult result;
    result.contents.push_back(text_item(uri, prose(20'000)));
    return result;
  };
  server.start();
  const auto anna = server.connect(kModernHttp, {.principal = {.id = "token:anna"}});
  const auto bert = server.connect(kModernHttp, {.principal = {.id = "token:bert"}});
  const json::Value answer = structured(anna->call_tool("fs.resources_read", R"({"uri":"x:1"})"));
  const std::string uri = text_at(*answer.find("result")->find("artifact"), "uri");
  const std::string arguments = json::to_text(json::Object{{"uri", uri}});
  EXPECT_NE(text_at(*structured(anna->call_tool("fs.resources_read", arguments)).find("result"), "text"), "");
  EXPECT_THAT(text_at(*structured(bert->call_tool("fs.resources_read", arguments)).find("result"), "error"),
              HasSubstr("unknown artifact"));
  for (const std::string bad : {"artifact://../x", "artifact://a?x=1", "artifact://"})
    EXPECT_NE(
        text_at(*structured(anna->call_tool("fs.resources_read", json::to_text(json::Object{{"uri", bad}})))
                     .find("result"),
                "error"),
        "")
        << bad;
}

// The artifact and the offset that the note of a text that was cut names.
std::string uri_in(const std::string& note) {
  const std::size_t begin = note.find("artifact://");
  return note.substr(begin, note.find(' ', begin) - begin);
}

TEST(GatewayWalk, ToolResultsGoOnWhereTheirNoteSays) {
  for (const std::size_t bytes : {4'000U, 32'000U}) {
    NodeServer server;
    const auto script = server.add("fs");
    script->add_tool("export");
    std::string whole;
    script->on_call = [&](const std::string&, const json::Object&,
                          const client::CallOptions&) -> Result<protocol::ToolResult> {
      return protocol::text_result(whole);
    };
    server.start({}, with_bytes(bytes));
    const auto client = server.connect();
    Walk walk(*client, bytes);
    for (const std::size_t size : {100U, 3'900U, 9'000U, 15'000U, 60'000U}) {
      whole = prose(size);
      const WireMessage reply = client->call_tool("fs.export");
      std::string seen = reply.text({"result", "content", 0, "text"});
      if (reply.size({"result", "content"}) > 1)
        seen += walk.parts(uri_in(reply.text({"result", "content", 1, "text"})));
      EXPECT_EQ(seen, whole) << size << " of " << bytes;
    }
  }
}

TEST(GatewayCache, IsPassedByOnRequest) {
  NodeServer server;
  const auto script = server.add("fs");
  server.start();
  const auto client = server.connect();
  (void)client->call_tool("fs.resources_read", R"({"uri":"file:///a"})");
  (void)client->call_tool("fs.resources_read", R"({"uri":"file:///a"})");
  EXPECT_EQ(script->reads, 1);
  (void)client->call_tool("fs.resources_read", R"({"uri":"file:///a","refresh":true})");
  EXPECT_EQ(script->reads, 2);
}

TEST(GatewayCache, FollowsTheResourcesThatWereReadLast) {
  NodeServer server;
  const auto script = server.add("fs");
  server.start();
  const auto client = server.connect();
  const auto read = [&](int i) {
    (void)client->call_tool("fs.resources_read",
                            json::to_text(json::Object{{"uri", "file:///" + std::to_string(i)}}));
  };
  for (int i = 0; i < 300; ++i) read(i);
  EXPECT_TRUE(script->wait_subscribed("file:///299"));
  EXPECT_TRUE(script->wait_subscribed("file:///0", false)) << "the one read longest ago made room";
  {
    const std::scoped_lock lock(script->mutex);
    EXPECT_LE(script->subscribed.size(), 256U);
  }
  EXPECT_EQ(script->reads, 300);
  read(299);
  EXPECT_EQ(script->reads, 300) << "it is cached";
  read(0);
  EXPECT_EQ(script->reads, 301) << "its entry went with its subscription";
  EXPECT_TRUE(script->wait_subscribed("file:///0"));
}

}  // namespace
}  // namespace sluice::gateway::testing

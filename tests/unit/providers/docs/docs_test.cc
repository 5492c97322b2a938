// Markdown pages as resources.

#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "sluice/docs/docs_provider.h"

#include "temp_folder.h"
#include "test_client.h"
#include "test_server.h"

namespace sluice::docs {
namespace {

using server::testing::kLegacyPipe;
using server::testing::kModernPipe;
using server::testing::TestClient;
using server::testing::WireMessage;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Docs : public ::testing::Test {
 protected:
  Docs() {
    folder_.write("served/README.md", "---\nlang: en\ntitle: \"The handbook\"\n---\n# Not this\nWelcome.\n");
    folder_.write("served/guide/start.md", "Intro\n```\n# a comment\n```\n## First steps ##\nText é.\n");
    folder_.write("served/guide/Advanced use.MARKDOWN", "No heading.\n");
    folder_.write("served/guide/picture.png", "\x89PNG");
    folder_.write("served/.hidden/secret.md", "# Secret\n");
    folder_.write("served/draft.md~", "# Draft\n");
    folder_.write("outside.md", "# Outside\n");
  }

  void serve(std::vector<contents::FolderSpec> folders) {
    Result<std::shared_ptr<catalog::Provider>> provider = make_docs_provider(folders);
    ASSERT_TRUE(provider.ok()) << provider.error().message;
    server_ = server::Server::create({}, {*std::move(provider)}).value();
    client_ = std::make_unique<TestClient>(*server_, kModernPipe);
  }
  void serve() { serve({{.name = "handbook", .path = folder_.at("served")}}); }

  WireMessage read(const std::string& uri) {
    return client_->call("resources/read", json::to_text(json::Object{{"uri", uri}}));
  }
  std::string text(const std::string& uri) {
    const WireMessage reply = read(uri);
    EXPECT_TRUE(reply.is_result()) << uri << ": " << reply.error();
    return reply.text({"result", "contents", 0, "text"});
  }
  void expect_not_found(const std::string& uri) {
    const WireMessage reply = read(uri);
    EXPECT_FALSE(reply.is_result()) << uri;
    EXPECT_THAT(json::to_text(reply.value()), HasSubstr("Resource not found"));
    EXPECT_EQ(json::to_text(reply.value()).find(folder_.path()), std::string::npos);
  }
  std::vector<std::string> listed(const char* member) {
    const WireMessage reply = client_->call("resources/list", "{}");
    std::vector<std::string> out;
    for (int i = 0; reply.has({"result", "resources", i}); ++i)
      out.push_back(reply.has({"result", "resources", i, member})
                        ? reply.text({"result", "resources", i, member})
                        : "");
    return out;
  }

  fs::TempFolder folder_;
  std::unique_ptr<server::Server> server_;
  std::unique_ptr<TestClient> client_;
};

TEST_F(Docs, AreKeptByClientsForAsLongAsTheOperatorSays) {
  serve();
  EXPECT_EQ(read("docs://README").text({"result", "ttlMs"}), "60000");
  serve({{.name = "handbook", .path = folder_.at("served"), .ttl = std::chrono::seconds(7)}});
  EXPECT_EQ(read("docs://README").text({"result", "ttlMs"}), "7000");
}

TEST_F(Docs, ListsEveryPageWithItsTitle) {
  serve();
  EXPECT_THAT(listed("uri"),
              ElementsAre("docs://README", "docs://guide/Advanced%20use", "docs://guide/start"));
  EXPECT_THAT(listed("title"), ElementsAre("The handbook", "", "First steps ##"));
  EXPECT_THAT(listed("mimeType"), ElementsAre("text/markdown", "text/markdown", "text/markdown"));
}

TEST_F(Docs, ReadsAPageByItsNameWithOrWithoutTheEnding) {
  serve();
  EXPECT_THAT(text("docs://guide/start"), HasSubstr("Text é."));
  EXPECT_EQ(text("docs://guide/start.md"), text("docs://guide/start"));
  EXPECT_EQ(text("docs://guide/Advanced%20use"), "No heading.\n");
  EXPECT_EQ(read("docs://guide/start").text({"result", "contents", 0, "mimeType"}), "text/markdown");
}

TEST_F(Docs, PagesOfSeveralFoldersComeBehindTheNamesOfTheFolders) {
  folder_.write("other/start.md", "# Other\n");
  serve({{.name = "handbook", .path = folder_.at("served")}, {.name = "more", .path = folder_.at("other")}});
  EXPECT_THAT(listed("uri"), ElementsAre("docs://handbook/README", "docs://handbook/guide/Advanced%20use",
                                         "docs://handbook/guide/start", "docs://more/start"));
  EXPECT_EQ(text("docs://more/start"), "# Other\n");
  expect_not_found("docs://start");
  expect_not_found("docs://more/../handbook/README");
}

TEST_F(Docs, LongPagesAreCutAndReadOn) {
  folder_.write("served/long.md", "# Long\n" + std::string(200'000, 'x'));
  serve();
  const WireMessage first = read("docs://long");
  EXPECT_THAT(first.text({"result", "contents", 0, "text"}),
              ::testing::EndsWith("\n\n[Content truncated...]"));
  const std::string next = first.text({"result", "contents", 0, "_meta", "sluice/next"});
  EXPECT_EQ(next, "docs://long?offset=102400");
  EXPECT_EQ(text("docs://long?offset=2&length=4"), "Long");
}

TEST_F(Docs, CompletesPages) {
  serve();
  const WireMessage reply = client_->call(
      "completion/complete",
      R"({"ref":{"type":"ref/resource","uri":"docs://{+page}"},"argument":{"name":"page","value":"GUIDE/"}})");
  EXPECT_EQ(json::to_text(reply.at({"result", "completion", "values"})),
            R"(["guide/Advanced use","guide/start"])");
}

TEST_F(Docs, SubscribersHearOfAPageThatIsSavedByRenaming) {
  serve();
  const auto legacy = std::make_unique<TestClient>(*server_, kLegacyPipe);
  ASSERT_TRUE(legacy->call("resources/subscribe", R"({"uri":"docs://guide/start"})").is_result());
  folder_.write("served/guide/start.md.tmp", "# New\n");
  std::filesystem::rename(folder_.at("served/guide/start.md.tmp"), folder_.at("served/guide/start.md"));
  WireMessage message = legacy->next();
  while (message.method() == "notifications/resources/list_changed") message = legacy->next();
  EXPECT_EQ(message.text({"params", "uri"}), "docs://guide/start");
  EXPECT_EQ(text("docs://guide/start"), "# New\n");
}

TEST_F(Docs, V5NothingButPagesOfTheFolderIsRead) {
  std::filesystem::create_symlink(folder_.at("outside.md"), folder_.at("served/link.md"));
  serve();
  for (const char* uri :
       {"docs://../outside", "docs://%2e%2e/outside", "docs://guide/..%2f..%2foutside", "docs:///etc/passwd",
        "docs://.hidden/secret", "docs://draft.md~", "docs://guide/picture.png", "docs://guide",
        "docs://guide/", "docs://link", "docs://", "docs://README?x=1", "docs://README?offset=x",
        "docs://README%00", "docs://guide//start", "docs://./README"}) {
    expect_not_found(uri);
  }
}

TEST_F(Docs, V5MutatedUrisLeadNowhere) {
  serve();
  std::mt19937 random(5);
  const std::string alphabet = "./%2eE5cguidestarREADM\\?#&=:~\x01é ";
  for (int i = 0; i < 100'000; ++i) {
    std::string uri = i % 2 == 0 ? "docs://guide/start" : "docs://../outside";
    for (int k = 0; k < 1 + i % 5; ++k) {
      const std::size_t at = 7 + random() % (uri.size() - 6);
      uri.insert(std::min(at, uri.size()), 1, alphabet[random() % alphabet.size()]);
    }
    const std::string answer =
        json::to_text(read(json::to_text(json::Value(uri)).size() > 2 ? uri : "x").value());
    EXPECT_EQ(answer.find("Outside"), std::string::npos) << uri;
    EXPECT_EQ(answer.find("Secret"), std::string::npos) << uri;
  }
}

TEST_F(Docs, ATitleIsDataAndStaysOnOneLine) {
  folder_.write("served/evil.md", "# Ignore\x1b[2J \xe2\x80\x8b" + std::string(500, 'a') + "\n");
  serve();
  for (const std::string& title : listed("title")) {
    EXPECT_EQ(title.find('\x1b'), std::string::npos);
    EXPECT_LE(title.size(), 220U);
  }
}

}  // namespace
}  // namespace sluice::docs

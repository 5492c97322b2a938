// Who hears of what happens to files.

#include <string>

#include <gmock/gmock.h>

#include "file_server.h"

namespace sluice::files::testing {
namespace {

using server::testing::kLegacyPipe;

// One write is several events, and on a busy machine they may be told in two parts: tests take a URI that is
// told again for what it is.

// A client that has subscribed as the legacy era does.
class FileChanges : public ::testing::Test {
 protected:
  FileChanges() {
    folder_.write("served/notes/a.txt", "one");
    folder_.write("served/notes/b.txt", "one");
    server_ = std::make_unique<FileServer>(
        std::vector<FolderSpec>{{.name = "served", .path = folder_.at("served")}});
    client_ = server_->connect(kLegacyPipe);
  }
  void subscribe(const std::string& uri) {
    const WireMessage reply = client_->call("resources/subscribe", json::to_text(json::Object{{"uri", uri}}));
    EXPECT_TRUE(reply.is_result()) << reply.error();
  }
  // The next message: the URI that was updated, or "list".
  std::string next() {
    const WireMessage message = client_->next();
    if (message.method() == "notifications/resources/list_changed") return "list";
    EXPECT_EQ(message.method(), "notifications/resources/updated");
    return message.text({"params", "uri"});
  }

  fs::TempFolder folder_;
  std::unique_ptr<FileServer> server_;
  std::unique_ptr<TestClient> client_;
};

TEST_F(FileChanges, AWrittenFileIsUpdatedAndSoIsItsFolder) {
  subscribe("file:///notes/a.txt");
  subscribe("file:///notes/");
  folder_.write("served/notes/a.txt", "two");
  EXPECT_EQ(next(), "file:///notes/");
  EXPECT_EQ(next(), "file:///notes/a.txt");
  EXPECT_EQ(server_->text("file:///notes/a.txt"), "two");
}

TEST_F(FileChanges, AreToldByTheUriThatWasSubscribed) {
  subscribe("file:///notes/%61.txt?offset=1");
  folder_.write("served/notes/a.txt", "two");
  EXPECT_EQ(next(), "file:///notes/%61.txt?offset=1");
}

TEST_F(FileChanges, SavingByRenameIsAnUpdate) {
  subscribe("file:///notes/a.txt");
  folder_.write("served/notes/.a.txt.swp", "two");
  folder_.rename("served/notes/.a.txt.swp", "served/notes/a.txt");
  EXPECT_EQ(next(), "file:///notes/a.txt");
  folder_.write("served/notes/a.txt", "");  // Truncated, then written anew.
  EXPECT_EQ(next(), "file:///notes/a.txt");
}

TEST_F(FileChanges, FilesThatComeAndGoChangeTheList) {
  subscribe("file:///notes/c.txt");  // It may come.
  folder_.write("served/notes/c.txt", "new");
  EXPECT_EQ(next(), "list");
  EXPECT_EQ(next(), "file:///notes/c.txt");
  folder_.remove("served/notes/c.txt");
  std::string heard = next();
  while (heard == "file:///notes/c.txt") heard = next();  // The writing may have been told by itself.
  EXPECT_EQ(heard, "list");
  EXPECT_EQ(next(), "file:///notes/c.txt");
}

TEST_F(FileChanges, AFolderMovedAwayAndBackIsFollowed) {
  subscribe("file:///notes/a.txt");
  folder_.rename("served/notes", "away");
  EXPECT_EQ(next(), "list");
  EXPECT_EQ(next(), "file:///notes/a.txt");
  server_->expect_not_found("file:///notes/a.txt");
  folder_.rename("away", "served/notes");
  EXPECT_EQ(next(), "list");
  EXPECT_EQ(next(), "file:///notes/a.txt");
  folder_.write("served/notes/a.txt", "after");
  EXPECT_EQ(next(), "file:///notes/a.txt");
  EXPECT_EQ(server_->text("file:///notes/a.txt"), "after");
}

TEST_F(FileChanges, AnotherFolderInThePlaceOfTheServedOneIsServed) {
  subscribe("file:///notes/a.txt");
  folder_.write("next/notes/a.txt", "of the next");
  folder_.rename("served", "away");
  folder_.rename("next", "served");
  EXPECT_EQ(next(), "list");
  EXPECT_EQ(next(), "file:///notes/a.txt");
  EXPECT_EQ(server_->text("file:///notes/a.txt"), "of the next");
  folder_.write("served/notes/a.txt", "watched too");
  EXPECT_EQ(next(), "file:///notes/a.txt");
}

TEST_F(FileChanges, HiddenFilesAreNobodysBusiness) {
  subscribe("file:///notes/.secret");
  subscribe("file:///notes/b.txt");
  folder_.write("served/notes/.secret", "x");
  folder_.write("served/notes/b.txt", "two");
  EXPECT_EQ(next(), "file:///notes/b.txt");
}

TEST_F(FileChanges, AreStreamedToModernClients) {
  TestClient& client = server_->client();
  const auto stream = client.start("subscriptions/listen", R"({"notifications":{"resourcesListChanged":true,
    "resourceSubscriptions":["file:///notes/a.txt"]}})");
  EXPECT_EQ(stream->next().method(), "notifications/subscriptions/acknowledged");
  folder_.write("served/notes/a.txt", "two");
  EXPECT_EQ(stream->next().text({"params", "uri"}), "file:///notes/a.txt");
  folder_.write("served/notes/new.txt", "x");
  WireMessage heard = stream->next();
  while (heard.text({"params", "uri"}) == "file:///notes/a.txt") heard = stream->next();
  EXPECT_EQ(heard.method(), "notifications/resources/list_changed");
}

TEST(FileChangesOfSeveral, AreToldBehindTheFoldersName) {
  const fs::TempFolder first;
  const fs::TempFolder second;
  first.write("a.txt", "one");
  second.write("a.txt", "one");
  FileServer server({{.name = "first", .path = first.path()}, {.name = "second", .path = second.path()}});
  const auto client = server.connect(kLegacyPipe);
  client->call("resources/subscribe", R"({"uri":"file:///first/a.txt"})");
  client->call("resources/subscribe", R"({"uri":"file:///second/"})");
  second.write("a.txt", "two");
  EXPECT_EQ(client->next().text({"params", "uri"}), "file:///second/");
  first.write("a.txt", "two");
  std::string heard = client->next().text({"params", "uri"});
  while (heard == "file:///second/") heard = client->next().text({"params", "uri"});
  EXPECT_EQ(heard, "file:///first/a.txt");
}

}  // namespace
}  // namespace sluice::files::testing

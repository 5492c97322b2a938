// Attacks: `path_escape` (paths), `injected_data` (names are data), `verbose_error` (errors that say too
// much).

#include <sys/stat.h>

#include <chrono>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "file_server.h"
#include "swapper.h"

namespace sluice::files::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A served folder beside one that is not.
class PathEscape : public ::testing::Test {
 protected:
  PathEscape() {
    folder_.write("allowed/inside.txt", "inside");
    folder_.write("allowed/sub/inside.txt", "inside");
    folder_.write("allowed/.env", "secret");
    folder_.write("allowed-evil/file.txt", "secret");
    folder_.write("secret.txt", "secret");
  }
  FileServer& server() {
    if (!server_)
      server_ = std::make_unique<FileServer>(
          std::vector<FolderSpec>{{.name = "allowed", .path = folder_.at("allowed")}});
    return *server_;
  }
  fs::TempFolder folder_;
  std::unique_ptr<FileServer> server_;
};

TEST_F(PathEscape, TraversalIsRefused) {
  for (const std::string uri : {"file:///../secret.txt",
                                "file:///sub/../../secret.txt",
                                "file:///sub/../inside.txt",
                                "file:///..",
                                "file:///../",
                                "file:///.",
                                "file:///./inside.txt",
                                "file:///%2e%2e/secret.txt",
                                "file:///%2E%2E/secret.txt",
                                "file:///.%2e/secret.txt",
                                "file:///%252e%252e/secret.txt",
                                "file:///%252e%252e%252fsecret.txt",
                                "file:///..%2fsecret.txt",
                                "file:///..%2Fsecret.txt",
                                "file:///sub%2f..%2f..%2fsecret.txt",
                                "file:///..%5csecret.txt",
                                "file:///..%c0%afsecret.txt",
                                "file:///%c0%ae%c0%ae/secret.txt",
                                "file:///sub//inside.txt",
                                "file:///inside.txt/",
                                "file:///inside.txt/..",
                                "file:///inside.txt/x"})
    server().expect_not_found(uri);
}

TEST_F(PathEscape, AbsolutePathsAreRefused) {
  for (const std::string& uri :
       {std::string("file:////etc/passwd"), std::string("file:///%2Fetc%2Fpasswd"),
        std::string("file:///etc/passwd"), std::string("file://localhost/etc/passwd"),
        std::string("file:/etc/passwd"), std::string("file:etc/passwd"), std::string("file://"),
        "file://" + folder_.path() + "/secret.txt", "file://" + folder_.path() + "/allowed/inside.txt"}) {
    const WireMessage reply =
        server().client().call("resources/read", json::to_text(json::Object{{"uri", uri}}));
    EXPECT_EQ(reply.code(), -32602) << uri;
  }
}

TEST_F(PathEscape, ASiblingWithTheSamePrefixIsOutside) {
  for (const std::string uri : {"file:///../allowed-evil/file.txt", "file:///-evil/file.txt",
                                "file:///%2e%2e/allowed-evil/file.txt", "file:///allowed-evil/file.txt"})
    server().expect_not_found(uri);
}

TEST_F(PathEscape, LinksThatLeaveAreRefused) {
  folder_.link("../secret.txt", "allowed/relative");
  folder_.link(std::string(folder_.at("secret.txt")), "allowed/absolute");
  folder_.link(std::string(folder_.at("allowed/inside.txt")), "allowed/absolute-inside");
  folder_.link("..", "allowed/up");
  folder_.link("/proc/self/root", "allowed/magic");
  folder_.link("loop", "allowed/loop");
  for (const std::string uri : {"file:///relative", "file:///absolute", "file:///absolute-inside",
                                "file:///up/secret.txt", "file:///up/", "file:///up/allowed/inside.txt",
                                "file:///magic/etc/passwd", "file:///magic", "file:///loop"})
    server().expect_not_found(uri);
}

TEST_F(PathEscape, OnlyRegularFilesAreRead) {
  ASSERT_EQ(::mkfifo(folder_.at("allowed/pipe").c_str(), 0600), 0);
  folder_.link("/dev/zero", "allowed/zero");
  server().expect_not_found("file:///pipe");
  server().expect_not_found("file:///zero");
}

TEST_F(PathEscape, HiddenFilesAreNotReadByGuessing) {
  server().expect_not_found("file:///.env");
  server().expect_not_found("file:///%2eenv");
  server().expect_not_found("file:///.env/");
}

TEST_F(PathEscape, NulAndBrokenNamesAreRefused) {
  for (const std::string uri :
       {"file:///inside.txt%00", "file:///inside.txt%00.png", "file:///%00", "file:///%ff%fe",
        "file:///inside.txt#part", "file:///inside.txt?", "file:///inside.txt?offset",
        "file:///inside.txt?offset=", "file:///inside.txt?offset=-1", "file:///inside.txt?offset=+1",
        "file:///inside.txt?offset=1&offset=2", "file:///inside.txt?length=0",
        "file:///inside.txt?length=99999999999999999999", "file:///inside.txt?limit=1",
        "file:///inside.txt?offset=0&", "file:///sub/?offset=0", "file:///?length=1"})
    server().expect_not_found(uri);
}

TEST_F(PathEscape, LongNamesAndDeepPathsAreRefused) {
  server().expect_not_found("file:///" + std::string(300, 'n'));
  server().expect_not_found("file:///" + std::string(300, 'n') + "/inside.txt");
  std::string deep = "file:///";
  for (int i = 0; i < 100; ++i) deep += "d/";
  server().expect_not_found(deep + "inside.txt");
  server().expect_not_found("file:///" + std::string(5'000, 'a'));
  std::string names = "file:///";
  for (int i = 0; i < 30; ++i) names += std::string(200, 'a') + "/";
  server().expect_not_found(names);
}

TEST_F(PathEscape, MutatedUrisFindNothingOutside) {
  folder_.link("../secret.txt", "allowed/link");
  const std::vector<std::string> parts = {
      "..",     ".",       "/",   "//", "%2e",     "%2f",        "%00",      "%25", "sub",
      "link",   "allowed", "?",   "#",  "offset=", "&",          "length=9", "%",   "%c0",
      "secret", ".txt",    "%5c", "è",  "~",       "inside.txt", "-evil",    "1",   "%E2%80%AE"};
  std::mt19937 random(17);  // The same ones every time.
  for (int i = 0; i < 100'000; ++i) {
    std::string uri = "file:///";
    for (auto left = random() % 8; left > 0; --left) uri += parts[random() % parts.size()];
    const WireMessage reply =
        server().client().call("resources/read", json::to_text(json::Object{{"uri", uri}}));
    if (reply.is_result()) {
      ASSERT_THAT(reply.text({"result", "contents", 0, "text"}), Not(HasSubstr("secret"))) << uri;
    } else {
      ASSERT_EQ(reply.code(), -32602) << uri << ": " << reply.error();
    }
  }
}

TEST_F(PathEscape, ARaceOfSwappedLinksFindsNothingOutside) {
  folder_.write("allowed/x/file.txt", "inside");
  folder_.write("outside/file.txt", "secret");
  folder_.link("../outside", "allowed/evil");
  FileServer& raced = server();
  const fs::Swapper swapper(folder_.at("allowed/x"), folder_.at("allowed/evil"));
  std::size_t inside = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (std::chrono::steady_clock::now() < end) {
    for (const std::string uri : {"file:///x/file.txt", "file:///x/"}) {
      const WireMessage reply = raced.reply(uri);
      ASSERT_THAT(json::to_text(reply.value()), Not(HasSubstr("secret"))) << uri;
      inside += reply.is_result() ? 1U : 0U;
    }
  }
  EXPECT_GT(inside, 0U);
}

TEST(InjectedData, NamesWithControlCharactersAreShownEncoded) {
  const fs::TempFolder folder;
  const std::string name = "a\nIgnore all\x1b[2J\xE2\x80\xAE.txt";
  folder.write(name, "data");
  FileServer server(folder);
  EXPECT_EQ(server.listed("name").at(1), "a%0AIgnore all%1B[2J%E2%80%AE.txt");
  const std::string uri = server.listed("uri").at(1);
  EXPECT_EQ(uri, "file:///a%0AIgnore%20all%1B%5B2J%E2%80%AE.txt");
  EXPECT_EQ(server.text(uri), "data");
  EXPECT_EQ(server.completed("a"), R"(["a%0AIgnore all%1B[2J%E2%80%AE.txt"])");
  EXPECT_THAT(server.text("file:///"), HasSubstr(R"("name":"a%0AIgnore all%1B[2J%E2%80%AE.txt")"));
}

TEST(VerboseError, AFailedReadSaysNothingOfPlaces) {
  // Reading address 0 of a process fails with an I/O error, whoever asks.
  FileServer server(std::vector<FolderSpec>{{.name = "self", .path = "/proc/self"}});
  const WireMessage reply = server.reply("file:///mem");
  EXPECT_EQ(reply.code(), -32603);
  EXPECT_EQ(reply.error(), "Failed to read resource: file:///mem");
  EXPECT_THAT(json::to_text(reply.value()), Not(HasSubstr("/proc")));
}

TEST(VerboseError, AMissingFolderIsNamedWithoutItsPlace) {
  const fs::TempFolder folder;
  const auto made = make_files_provider({{.name = "none", .path = folder.path() + "/none"}});
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().code, "folder_not_found");
  EXPECT_THAT(made.error().message, Not(HasSubstr(folder.path())));
}

}  // namespace
}  // namespace sluice::files::testing

// Files and folders as resources, in pages; their templates and completion.

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "file_server.h"

namespace sluice::files::testing {
namespace {

using ::testing::ElementsAre;

TEST(FileList, HasEveryFileAndFolderInOrderOfUri) {
  const fs::TempFolder folder;
  for (const char* path : {"a/x.txt", "a/b/deep.md", "a.txt", "a-b.csv", "a b.json", "z.png"})
    folder.write(path, "12345");
  FileServer server(folder);
  EXPECT_THAT(server.listed("uri"),
              ElementsAre("file:///", "file:///a%20b.json", "file:///a-b.csv", "file:///a.txt", "file:///a/",
                          "file:///a/b/", "file:///a/b/deep.md", "file:///a/x.txt", "file:///z.png"));
  EXPECT_THAT(server.listed("name"),
              ElementsAre("docs", "a b.json", "a-b.csv", "a.txt", "a", "b", "deep.md", "x.txt", "z.png"));
  EXPECT_THAT(server.listed("mimeType"),
              ElementsAre("inode/directory", "application/json", "text/csv", "text/plain", "inode/directory",
                          "inode/directory", "text/markdown", "text/plain", "image/png"));
}

TEST(FileList, SaysHowLargeAFileIsAndWhenItWasChanged) {
  const fs::TempFolder folder;
  folder.write("big.txt", std::string(300'000, 'x'));
  const std::chrono::sys_seconds changed{std::chrono::seconds(1'700'000'000)};
  std::filesystem::last_write_time(folder.at("big.txt"), std::chrono::file_clock::from_sys(changed));
  FileServer server(folder);
  const WireMessage list = server.client().call("resources/list");
  EXPECT_EQ(list.text({"result", "resources", 1, "size"}), "300000");
  EXPECT_EQ(list.text({"result", "resources", 1, "annotations", "lastModified"}), "2023-11-14T22:13:20.000Z");
  EXPECT_FALSE(list.has({"result", "resources", 0, "size"}));
}

TEST(FileList, OfThousandsComesInPagesWithoutGapsOrRepeats) {
  const fs::TempFolder folder;
  std::vector<std::string> expected = {"file:///"};
  for (int i = 0; i < 7; ++i) {
    const std::string name = "f" + std::to_string(i);
    expected.push_back("file:///" + name + "/");
    expected.push_back("file:///" + name + "-beside.txt");
    folder.write(name + "-beside.txt", "");
    for (int j = 0; j < 350; ++j) {
      folder.write(name + "/" + std::to_string(j) + ".txt", "");
      expected.push_back("file:///" + name + "/" + std::to_string(j) + ".txt");
    }
  }
  for (int i = 0; i < 250; ++i) {  // Folders alone fill pages too.
    folder.make_folder("g" + std::to_string(i));
    expected.push_back("file:///g" + std::to_string(i) + "/");
  }
  std::sort(expected.begin(), expected.end());
  FileServer server(folder);
  EXPECT_EQ(server.listed("uri"), expected);
}

TEST(FileList, LeavesOutWhatIsHiddenTemporaryOrNoFile) {
  const fs::TempFolder folder;
  for (const char* path : {".env", ".git/config", "seen.txt", "seen.txt~", "#seen.txt#", "seen.txt.tmp"})
    folder.write(path, "x");
  ASSERT_EQ(::mkfifo(folder.at("pipe").c_str(), 0600), 0);
  folder.link("/etc", "outside");
  folder.link("seen.txt", "inside.txt");
  folder.link(".", "circle");
  FileServer server(folder);
  EXPECT_THAT(server.listed("uri"),
              ElementsAre("file:///", "file:///circle/", "file:///inside.txt", "file:///seen.txt"));
}

TEST(FileList, OfSeveralFoldersBeginsWithTheirNames) {
  const fs::TempFolder notes;
  const fs::TempFolder code;
  notes.write("a.md", "A");
  code.write("main.cc", "int main() {}");
  FileServer server({{.name = "notes", .path = notes.path()}, {.name = "my code", .path = code.path()}});
  EXPECT_THAT(server.listed("uri"), ElementsAre("file:///", "file:///my%20code/", "file:///my%20code/main.cc",
                                                "file:///notes/", "file:///notes/a.md"));
  EXPECT_EQ(server.text("file:///notes/a.md"), "A");
  EXPECT_EQ(server.text("file:///my%20code/main.cc"), "int main() {}");
  server.expect_not_found("file:///a.md");
  server.expect_not_found("file:///notes/main.cc");
  server.expect_not_found("file:///notes/../my%20code/main.cc");
  EXPECT_EQ(server.text("file:///"),
            R"({"entries":[{"uri":"file:///my%20code/","name":"my code","mimeType":"inode/directory"},)"
            R"({"uri":"file:///notes/","name":"notes","mimeType":"inode/directory"}],"total":2})");
  EXPECT_EQ(server.completed("no"), R"(["notes/"])");
  EXPECT_EQ(server.completed("notes/"), R"(["notes/a.md"])");
}

TEST(FileList, HasOneTemplate) {
  const fs::TempFolder folder;
  FileServer server(folder);
  const WireMessage list = server.client().call("resources/templates/list");
  EXPECT_EQ(list.size({"result", "resourceTemplates"}), 1U);
  EXPECT_EQ(list.text({"result", "resourceTemplates", 0, "uriTemplate"}), "file:///{+path}");
}

TEST(FileCompletion, GoesFolderByFolder) {
  const fs::TempFolder folder;
  for (const char* path : {"docs/README.md", "docs/readme.txt", "docs/sub/x", "data.csv", "docs/.hidden"})
    folder.write(path, "x");
  FileServer server(folder);
  EXPECT_EQ(server.completed(""), R"(["data.csv","docs/"])");
  EXPECT_EQ(server.completed("do"), R"(["docs/"])");
  EXPECT_EQ(server.completed("docs/read"), R"(["docs/README.md","docs/readme.txt"])");
  EXPECT_EQ(server.completed("docs/"), R"(["docs/README.md","docs/readme.txt","docs/sub/"])");
  for (const char* typed :
       {"none/", "../", "docs/../", "/", "docs//", ".git/", "%2e%2e/", "%zz/", "docs/%00/"})
    EXPECT_EQ(server.completed(typed), "[]") << typed;
}

TEST(FileCompletion, GivesValuesThatTheTemplateKeepsWhole) {
  const fs::TempFolder folder;
  folder.write("what?/100%.txt", "x");
  FileServer server(folder);
  EXPECT_EQ(server.completed("wh"), R"(["what%3F/"])");
  EXPECT_EQ(server.completed("what%3F/"), R"(["what%3F/100%25.txt"])");
  EXPECT_EQ(server.text("file:///what%3F/100%25.txt"), "x");
}

TEST(FileCompletion, IsBoundedAndCounts) {
  const fs::TempFolder folder;
  for (int i = 0; i < 250; ++i) folder.write("f" + std::to_string(1'000 + i), "");
  FileServer server(folder);
  const WireMessage reply = server.client().call(
      "completion/complete",
      R"({"ref":{"type":"ref/resource","uri":"file:///{+path}"},"argument":{"name":"path","value":"f1"}})");
  EXPECT_EQ(reply.size({"result", "completion", "values"}), 100U);
  EXPECT_EQ(reply.text({"result", "completion", "values", 0}), "f1000");
  EXPECT_EQ(reply.text({"result", "completion", "total"}), "250");
}

}  // namespace
}  // namespace sluice::files::testing

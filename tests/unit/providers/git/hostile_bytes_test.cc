// `git_injection`: repositories whose files are not what git writes.

#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "git_server.h"

namespace sluice::git::testing {
namespace {

constexpr const char* kUris[] = {
    "git://log",         "git://log?path=src", "git://status", "git://branches",   "git://tags",
    "git://commit/main", "git://main/src/a",   "git://main/",  "git://v1/commits", "git://diff/v1..main"};

std::vector<std::string> files_of_git(const fs::TempFolder& folder) {
  std::vector<std::string> out = {".git/HEAD", ".git/index", ".git/packed-refs", ".git/refs/heads/main"};
  for (const auto& entry : std::filesystem::directory_iterator(folder.at(".git/objects/pack")))
    out.push_back(".git/objects/pack/" + entry.path().filename().string());
  return out;
}

// Some bytes are another, or the end is missing.
std::string damaged(std::string bytes, std::mt19937& random) {
  if (bytes.empty()) return bytes;
  if (random() % 8 == 0) return bytes.substr(0, random() % bytes.size());
  for (auto left = 1 + random() % 8; left > 0; --left)
    bytes[random() % bytes.size()] = static_cast<char>(random() % 256);
  return bytes;
}

// Files are replaced, not written over: what is mapped by a read that goes on stays as it was.
void replace(const fs::TempFolder& folder, const std::string& name, const std::string& bytes) {
  folder.remove(name);
  folder.write(name, bytes);
}

TEST(GitInjection, DamagedRepositoriesAreReadOrRefused) {
  TestRepository repository;
  for (int i = 0; i < 20; ++i)
    repository.commit("src/a", std::string(500, 'x') + std::to_string(i), "commit");
  repository.git({"tag", "v1", "main~10"});
  repository.git({"gc", "-q"});
  repository.commit("src/a", "last", "not packed");
  const fs::TempFolder& folder = repository.files();
  const std::vector<std::string> names = files_of_git(folder);
  ASSERT_GE(names.size(), 6U);
  GitServer server(repository);
  std::mt19937 random(23);  // The same ones every time.
  std::size_t read = 0;
  std::size_t refused = 0;
  for (int i = 0; i < 400; ++i) {
    const std::string& name = names[random() % names.size()];
    const std::string before = folder.read(name);
    replace(folder, name, damaged(before, random));
    for (const char* uri : kUris) ++(server.reply(uri).is_result() ? read : refused);
    replace(folder, name, before);
  }
  EXPECT_GT(read, 100U);
  EXPECT_GT(refused, 100U);
}

}  // namespace
}  // namespace sluice::git::testing

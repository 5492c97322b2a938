// Any text as a git:// URI: a place in a repository that is written back as the same place, or nothing.
#include "git_uri.h"

#include <string>

#include "property.h"

namespace {

namespace git = sluice::git;

std::string path_of(const git::GitUri& uri) {
  std::string path;
  for (std::size_t i = 1; i < uri.segments.size(); ++i) path += (i > 1 ? "/" : "") + uri.segments[i];
  return path;
}

void check(const sluice::ResourceUri& uri, git::Naming naming) {
  const std::optional<git::GitUri> read = git::parse_uri(uri, naming);
  if (!read) return;
  require(naming == git::Naming::kOne || !read->repository.empty(), "a repository has a name");
  require(read->limit <= 1'000, "a page of a history is bounded");
  require(read->argument.find('\0') == std::string::npos, "nothing has a zero byte");
  if (read->subject != git::Subject::kAtRef) return;
  require(!read->segments.empty(), "there is a ref at least");
  for (const std::string& segment : read->segments) require(!segment.empty(), "no segment is empty");
  // Written with its ref as one segment. The word `commits` may become a name, which has to be the same name.
  const std::string written =
      git::uri_at(git::uri_prefix(read->repository, naming), read->segments.front(), path_of(*read));
  const sluice::Result<sluice::ResourceUri> parsed = sluice::ResourceUri::parse(written);
  require(parsed.ok(), "what is written is a URI");
  if (read->segments.size() == 1) return;  // A ref without a path: it is written with an empty one.
  // Git has no names with a slash, so one that is encoded is written as what it means there: another segment.
  for (std::size_t i = 1; i < read->segments.size(); ++i) {
    if (read->segments[i].find('/') != std::string::npos) return;
  }
  const std::optional<git::GitUri> again = git::parse_uri(*parsed, naming);
  require(again.has_value(), "of this kind");
  require(again->subject == git::Subject::kAtRef && again->segments.front() == read->segments.front() &&
              path_of(*again) == path_of(*read) && again->repository == read->repository,
          "and of the same place");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const sluice::Result<sluice::ResourceUri> uri =
      sluice::ResourceUri::parse("git://" + std::string(text_of(data, size)));
  if (!uri) return 0;
  check(*uri, git::Naming::kOne);
  check(*uri, git::Naming::kSeveral);
  return 0;
}

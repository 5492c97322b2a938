#include "ref.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sluice/base/limits.h"
#include "sluice/base/text.h"

namespace sluice::git {

namespace {

constexpr std::size_t kRefSegmentsMax = 8;
constexpr std::size_t kIdDigitsMin = 4;

bool is_name_part(std::string_view part) {
  return !part.empty() && !part.starts_with('.') && !part.ends_with(".lock");
}

bool has_forbidden(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte <= 0x20 || byte == 0x7F || std::string_view("~^:?*[\\").find(c) != std::string_view::npos;
  });
}

Result<git_oid> commit_of_ref(const Repository& repository, const std::string& full_name) {
  ReferenceHandle reference;
  int code = take(reference, [&](git_reference** to) {
    return git_reference_lookup(to, repository.raw(), full_name.c_str());
  });
  if (code < 0) return repository.failure(code, "look for a ref");
  ObjectHandle commit;
  code = take(commit,
              [&](git_object** to) { return git_reference_peel(to, reference.get(), GIT_OBJECT_COMMIT); });
  if (code < 0) return repository.failure(code, "look for the commit of a ref");
  return *git_object_id(commit.get());
}

}  // namespace

bool is_ref_name(std::string_view text) {
  if (text.empty() || text.size() > kFileNameBytesMax || !is_valid_utf8(text)) return false;
  if (text.starts_with('-') || text.ends_with('.') || text == "@" || has_forbidden(text)) return false;
  if (text.find("..") != std::string_view::npos || text.find("@{") != std::string_view::npos) return false;
  while (true) {
    const std::size_t slash = text.find('/');
    if (!is_name_part(text.substr(0, slash))) return false;
    if (slash == std::string_view::npos) return true;
    text.remove_prefix(slash + 1);
  }
}

bool is_object_id(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdefABCDEF";
  return text.size() >= kIdDigitsMin && text.size() <= GIT_OID_HEXSZ &&
         text.find_first_not_of(kDigits) == std::string_view::npos;
}

Result<git_oid> find_ref(const Repository& repository, std::string_view name) {
  if (!is_ref_name(name)) return not_found("look for a ref");
  if (name == "HEAD") return commit_of_ref(repository, "HEAD");
  constexpr std::array<std::string_view, 3> kFolders = {"refs/tags/", "refs/heads/", "refs/remotes/"};
  for (const std::string_view folder : kFolders) {
    if (name.starts_with(folder)) return commit_of_ref(repository, std::string(name));
  }
  for (const std::string_view folder : kFolders) {
    Result<git_oid> found = commit_of_ref(repository, std::string(folder) + std::string(name));
    if (found.ok() || found.error().kind != ErrorKind::kNotFound) return found;
  }
  return not_found("look for a ref");
}

Result<git_oid> find_id(const Repository& repository, std::string_view text) {
  if (!is_object_id(text)) return not_found("look for an object");
  git_oid prefix{};
  int code = git_oid_fromstrn(&prefix, text.data(), text.size());
  if (code < 0) return repository.failure(code, "look for an object");
  ObjectHandle object;
  code = take(object, [&](git_object** to) {
    return git_object_lookup_prefix(to, repository.raw(), &prefix, text.size(), GIT_OBJECT_ANY);
  });
  if (code < 0) return repository.failure(code, "look for an object");
  ObjectHandle commit;
  code = take(commit, [&](git_object** to) { return git_object_peel(to, object.get(), GIT_OBJECT_COMMIT); });
  if (code < 0) return repository.failure(code, "look for the commit of an object");
  return *git_object_id(commit.get());
}

Result<git_oid> find_commit(const Repository& repository, std::string_view text) {
  Result<git_oid> found = find_ref(repository, text);
  if (found.ok() || found.error().kind != ErrorKind::kNotFound) return found;
  return find_id(repository, text);
}

Result<RefSplit> split_ref(const Repository& repository, const std::vector<std::string>& segments) {
  std::string name;
  for (std::size_t i = 0; i < std::min(segments.size(), kRefSegmentsMax); ++i) {
    name += (i == 0 ? "" : "/") + segments[i];
    const Result<git_oid> found = find_ref(repository, name);
    if (found.ok()) return RefSplit{.commit = *found, .ref = name, .segments = i + 1};
    if (found.error().kind != ErrorKind::kNotFound) return found.error();
  }
  if (segments.empty()) return not_found("look for a ref");
  SLUICE_TRY(const git_oid commit, find_id(repository, segments.front()));
  return RefSplit{.commit = commit, .ref = segments.front(), .segments = 1};
}

}  // namespace sluice::git

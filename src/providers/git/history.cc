#include "history.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "sluice/base/clock.h"

#include "walk.h"

namespace sluice::git {

namespace {

constexpr std::chrono::seconds kSearchTime{5};
constexpr std::size_t kKnownPathsMax = 10'000;
constexpr std::size_t kParentsMax = 1'000;  // As many are shown.

// Which commits changed a path: those where it is another than in each of their parents.
class PathFilter {
 public:
  PathFilter(const Repository& repository, const std::string& path) : repository_(repository), path_(path) {}

  Result<bool> wants(const git_oid& id) {
    if (path_.empty()) return true;
    SLUICE_TRY(const CommitHandle commit, repository_.commit(id));
    SLUICE_TRY(const git_oid own, entry_of(id));
    const unsigned parents = git_commit_parentcount(commit.get());
    if (parents == 0) return git_oid_is_zero(&own) == 0;
    for (unsigned i = 0; i < parents; ++i) {
      const Result<git_oid> before = entry_of(*git_commit_parent_id(commit.get(), i));
      if (!before.ok() && before.error().kind != ErrorKind::kNotFound) return before.error();
      // A parent that is not there, as in a shallow clone, had nothing.
      const git_oid nothing{};
      if (git_oid_equal(&own, before.ok() ? &*before : &nothing) != 0) return false;
    }
    return true;
  }

 private:
  // What stands at the path; zeros for nothing.
  Result<git_oid> entry_of(const git_oid& id) {
    if (const auto found = known_.find(id); found != known_.end()) return found->second;
    SLUICE_TRY(const CommitHandle commit, repository_.commit(id));
    SLUICE_TRY(const TreeHandle tree, repository_.tree_of(*commit));
    git_tree_entry* entry = nullptr;
    const int code = git_tree_entry_bypath(&entry, tree.get(), path_.c_str());
    if (code < 0 && repository_.failure(code, "look for a path").kind != ErrorKind::kNotFound)
      return repository_.failure(code, "look for a path");
    git_oid out{};
    if (code == 0) out = *git_tree_entry_id(entry);
    git_tree_entry_free(entry);
    if (known_.size() >= kKnownPathsMax) known_.clear();
    known_.emplace(id, out);
    return out;
  }

  const Repository& repository_;
  const std::string& path_;
  std::map<git_oid, git_oid, OidLess> known_;
};

std::size_t size_of(const CommitLine& line, Form form) {
  if (form == Form::kText) return kShortIdDigits + 2 + line.subject.size();
  constexpr std::size_t kFieldsBytes = 200;
  constexpr std::size_t kParentBytes = GIT_OID_HEXSZ + 3;
  return kFieldsBytes + line.parents.size() * kParentBytes + line.subject.size() + line.author.name.size() +
         line.author.email.size();
}

}  // namespace

Result<CommitLine> describe_commit(const Repository& repository, const git_oid& id) {
  SLUICE_TRY(const CommitHandle commit, repository.commit(id));
  const char* encoding = git_commit_message_encoding(commit.get());
  const std::string_view charset = encoding == nullptr ? std::string_view() : encoding;
  CommitLine out;
  out.id = id;
  const std::size_t parents = std::min<std::size_t>(git_commit_parentcount(commit.get()), kParentsMax);
  for (unsigned i = 0; i < parents; ++i) out.parents.push_back(*git_commit_parent_id(commit.get(), i));
  out.author = person_of(git_commit_author(commit.get()), charset);
  const char* subject = git_commit_summary(commit.get());
  out.subject = one_line(subject == nullptr ? std::string_view() : subject, charset);
  return out;
}

Result<History> read_history(const Repository& repository, const HistoryRequest& request) {
  SLUICE_TRY(Walk walk, Walk::begin(repository, request.start));
  if (request.after) SLUICE_CHECK(walk.skip_to(*request.after));
  PathFilter filter(repository, request.path);
  const Monotonic patience = system_clock().now() + kSearchTime;
  History out;
  std::optional<git_oid> last;
  std::size_t bytes = 0;
  while (true) {  // Ends with the history, the page or the deadline of the gate.
    SLUICE_TRY(const std::optional<git_oid> id, walk.next());
    if (!id) return out;
    const bool is_late = !request.path.empty() && last && system_clock().now() >= patience;
    if (out.commits.size() == request.limit || bytes >= request.bytes_max || is_late) {
      out.next_after = last;
      return out;
    }
    last = id;
    SLUICE_TRY(const bool is_wanted, filter.wants(*id));
    if (!is_wanted) continue;
    SLUICE_TRY(CommitLine line, describe_commit(repository, *id));
    bytes += size_of(line, request.form);
    out.commits.push_back(std::move(line));
  }
}

}  // namespace sluice::git

#include "history.h"

#include <chrono>
#include <map>
#include <utility>

#include "sluice/base/clock.h"

namespace sluice::git {

namespace {

constexpr std::chrono::seconds kSearchTime{5};
constexpr std::size_t kKnownPathsMax = 10'000;

struct OidLess {
  bool operator()(const git_oid& a, const git_oid& b) const { return git_oid_cmp(&a, &b) < 0; }
};

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
      SLUICE_TRY(const git_oid before, entry_of(*git_commit_parent_id(commit.get(), i)));
      if (git_oid_equal(&own, &before) != 0) return false;
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

class Walk {
 public:
  static Result<Walk> begin(const Repository& repository, const git_oid& start) {
    Walk out(repository);
    int code = take(out.walk_, [&](git_revwalk** to) { return git_revwalk_new(to, repository.raw()); });
    if (code == 0) code = git_revwalk_push(out.walk_.get(), &start);
    if (code < 0) return repository.failure(code, "begin a walk");
    return out;
  }

  // Nothing at the end.
  Result<std::optional<git_oid>> next() {
    if (!repository_->gate().has_time()) return repository_->gate().status().error();
    git_oid id{};
    const int code = git_revwalk_next(&id, walk_.get());
    if (code == GIT_ITEROVER) return std::optional<git_oid>();
    if (code < 0) return repository_->failure(code, "walk a history");
    return std::optional<git_oid>(id);
  }

  Status skip_to(const git_oid& after) {
    while (true) {
      SLUICE_TRY(const std::optional<git_oid> id, next());
      if (!id) return not_found("look for a commit in a history");
      if (git_oid_equal(&*id, &after) != 0) return {};
    }
  }

 private:
  explicit Walk(const Repository& repository) : repository_(&repository) {}

  const Repository* repository_;  // The caller's, who outlives the walk.
  WalkHandle walk_;
};

}  // namespace

Result<CommitLine> describe_commit(const Repository& repository, const git_oid& id) {
  SLUICE_TRY(const CommitHandle commit, repository.commit(id));
  const char* encoding = git_commit_message_encoding(commit.get());
  const std::string_view charset = encoding == nullptr ? std::string_view() : encoding;
  CommitLine out;
  out.id = id;
  for (unsigned i = 0; i < git_commit_parentcount(commit.get()); ++i)
    out.parents.push_back(*git_commit_parent_id(commit.get(), i));
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
  while (true) {  // Ends with the history, the page or the deadline of the gate.
    SLUICE_TRY(const std::optional<git_oid> id, walk.next());
    if (!id) return out;
    const bool is_late = !request.path.empty() && last && system_clock().now() >= patience;
    if (out.commits.size() == request.limit || is_late) {
      out.next_after = last;
      return out;
    }
    last = id;
    SLUICE_TRY(const bool is_wanted, filter.wants(*id));
    if (!is_wanted) continue;
    SLUICE_TRY(CommitLine line, describe_commit(repository, *id));
    out.commits.push_back(std::move(line));
  }
}

}  // namespace sluice::git

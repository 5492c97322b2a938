#include "served_repository.h"

#include <algorithm>
#include <utility>

#include "sluice/base/log.h"
#include "sluice/contents/resource_path.h"
#include "sluice/fs/place.h"

#include "ref_list.h"
#include "repository.h"

namespace sluice::git {

namespace {

bool is_of_refs(std::string_view path) {
  return path.empty() || path == "HEAD" || path == "packed-refs" || path == "refs" ||
         path.starts_with("refs/");
}

bool is_unwatched(std::string_view path) {
  return path.ends_with(".lock") || (!is_of_refs(path) && path != "index");
}

bool is_git_folder(std::string_view path) { return contents::last_name(path) == ".git"; }

std::unique_ptr<fs::Watcher> start_watcher(const fs::Root& root, bool (*skips)(std::string_view),
                                           fs::Watcher::Callback callback, const std::string& name) {
  fs::WatchOptions options;
  options.skips = skips;
  Result<std::unique_ptr<fs::Watcher>> watcher =
      fs::Watcher::start(root, std::move(options), std::move(callback));
  if (watcher.ok()) return *std::move(watcher);
  log::warning("repository_not_watched", {{"repository", name}, {"reason", watcher.error().message}});
  return nullptr;
}

std::unique_ptr<fs::Root> open_root(const std::string& path) {
  Result<fs::Root> root = fs::Root::open(path, {.symlinks = fs::Symlinks::kRefuse});
  return root.ok() ? std::make_unique<fs::Root>(*std::move(root)) : nullptr;
}

}  // namespace

ServedRepository::ServedRepository(const RepositorySpec& spec, std::string prefix, Place place)
    : name_(spec.name), prefix_(std::move(prefix)), place_(std::move(place)), ttl_(spec.ttl) {}

Result<std::unique_ptr<ServedRepository>> ServedRepository::open(const RepositorySpec& spec, Naming naming) {
  SLUICE_TRY(Place place, find_repository(spec.path));
  SLUICE_CHECK(check_repository(place));
  SLUICE_TRY(const Repository repository, Repository::open(place, {}));  // It can be opened.
  if (has_alternates(place)) log::warning("alternates_not_read", {{"repository", spec.name}});
  return std::unique_ptr<ServedRepository>(
      new ServedRepository(spec, uri_prefix(spec.name, naming), std::move(place)));
}

void ServedRepository::start_telling(Tell tell) {
  tell_ = std::move(tell);
  watch_refs();
}

void ServedRepository::follow() {
  const bool is_replaced = !git_root_ || !fs::is_at(*git_root_, place_.git_folder);
  if (is_replaced && find_repository(place_.folder).ok()) {
    is_safe_ = check_repository(place_).ok();
    watch_refs();
    files_watcher_.reset();
    log::info("repository_reopened", {{"repository", name_}});
    this->tell(Reach::kAll);
  }
  const bool is_wanted = !place_.is_bare && is_status_wanted();
  if (!is_wanted) files_watcher_.reset();
  if (!is_wanted || files_watcher_) return;
  watch_files();
  if (files_watcher_) this->tell(Reach::kStatus);
}

void ServedRepository::watch_refs() {
  git_watcher_.reset();
  git_root_ = open_root(place_.git_folder);
  if (!git_root_) return;
  git_watcher_ = start_watcher(
      *git_root_, is_unwatched, [this](const std::vector<fs::Change>& changes) { on_git_change(changes); },
      name_);
}

void ServedRepository::watch_files() {
  files_watcher_.reset();
  files_root_ = open_root(place_.folder);
  if (!files_root_) return;
  files_watcher_ = start_watcher(
      *files_root_, is_git_folder, [this](const std::vector<fs::Change>&) { this->tell(Reach::kStatus); },
      name_);
}

void ServedRepository::watch(const ResourceUri& uri, Subject subject) {
  const MutexLock lock(uris_mutex_);
  uris_[uri.text()] = subject;
}

void ServedRepository::unwatch(const ResourceUri& uri) {
  const MutexLock lock(uris_mutex_);
  uris_.erase(uri.text());
}

bool ServedRepository::is_status_wanted() {
  const MutexLock lock(uris_mutex_);
  return std::any_of(uris_.begin(), uris_.end(),
                     [](const auto& wanted) { return wanted.second == Subject::kStatus; });
}

void ServedRepository::on_git_change(const std::vector<fs::Change>& changes) {
  const bool is_of_all = std::any_of(changes.begin(), changes.end(),
                                     [](const fs::Change& change) { return is_of_refs(change.path); });
  if (is_of_all) {
    const Status safe = check_repository(place_);
    is_safe_ = safe.ok() || safe.error().kind != ErrorKind::kUnsupported;
  }
  this->tell(is_of_all ? Reach::kAll : Reach::kStatus);
}

void ServedRepository::tell(Reach reach) {
  std::vector<std::string> touched;
  {
    const MutexLock lock(uris_mutex_);
    for (const auto& [uri, subject] : uris_) {
      const bool is_touched =
          reach == Reach::kAll ? subject != Subject::kCommit : subject == Subject::kStatus;
      if (is_touched) touched.push_back(uri);
    }
  }
  for (const std::string& uri : touched) tell_(uri);
}

Result<RepositorySummary> summarize(const RepositorySpec& spec) {
  SLUICE_TRY(const Place place, find_repository(spec.path));
  SLUICE_CHECK(check_repository(place));
  SLUICE_TRY(const Repository repository, Repository::open(place, {}));
  RepositorySummary out{.is_bare = place.is_bare, .has_alternates = has_alternates(place)};
  SLUICE_TRY(out.branch, head_branch(repository));
  SLUICE_TRY(const std::vector<std::string> branches, ref_names(repository, "refs/heads/"));
  SLUICE_TRY(const std::vector<std::string> tags, ref_names(repository, "refs/tags/"));
  out.branches = branches.size();
  out.tags = tags.size();
  return out;
}

}  // namespace sluice::git

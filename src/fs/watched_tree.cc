#include "watched_tree.h"

#include <utility>

#include "sluice/base/log.h"

#include "relative_path.h"

namespace sluice::fs {
namespace {

std::string beneath_prefix(std::string_view folder) {
  return folder.empty() ? std::string() : std::string(folder) + "/";
}

bool is_entered(EntryKind kind, bool is_link) { return kind == EntryKind::kFolder && !is_link; }

// Folds a change into what the same interval has already seen of the path.
void note(const std::string& path, ChangeKind kind, Changes* changes) {
  if (changes == nullptr) return;
  const auto [seen, is_new] = changes->try_emplace(path, kind);
  if (is_new || seen->second == kind) return;
  if (seen->second == ChangeKind::kCreated) {
    if (kind == ChangeKind::kRemoved) changes->erase(seen);  // Nobody has heard of it.
  } else {
    seen->second = kind == ChangeKind::kRemoved ? ChangeKind::kRemoved : ChangeKind::kModified;
  }
}

}  // namespace

WatchedTree::WatchedTree(const Root& root, ScanOptions options) : root_(root), options_(std::move(options)) {}

WatchedTree::Fingerprint WatchedTree::fingerprint(const Entry& entry) {
  return Fingerprint{.bytes = entry.bytes,
                     .modified = entry.modified,
                     .identity = entry.identity,
                     .kind = entry.kind,
                     .is_link = entry.is_link};
}

Status WatchedTree::refresh(std::string_view path, Hint hint, Changes* changes) {
  if (path.empty()) return refresh_beneath(path, changes);
  if (options_.skips && options_.skips(path)) return {};
  const Result<Entry> entry = root_.stat(path);
  if (!entry.ok() || entry->kind == EntryKind::kOther) {
    forget(path, changes);
    return {};
  }
  update(std::string(path), *entry, hint, changes);
  if (!is_entered(entry->kind, entry->is_link)) return {};
  return refresh_beneath(path, changes);
}

Status WatchedTree::refresh_beneath(std::string_view folder, Changes* changes) {
  const Result<Scan> found = scan(root_, folder, options_);
  if (!found.ok()) {
    if (found.error().kind == ErrorKind::kCancelled) return found.error();
    forget_beneath(folder, changes);  // It is gone, or cannot be read any more.
    return {};
  }
  if (found->truncated && !std::exchange(warned_, true)) {
    log::warning("watch_does_not_see_everything", {{"entries_max", options_.entries_max}});
  }
  // Both are in order of path: what is known and not found by the time its place is passed is gone.
  const std::string prefix = beneath_prefix(folder);
  std::vector<std::string> gone;
  auto known = known_.lower_bound(prefix);
  const auto in_folder = [&] { return known != known_.end() && known->first.starts_with(prefix); };
  for (const ScannedEntry& each : found->entries) {
    for (; in_folder() && known->first < each.path; ++known) gone.push_back(known->first);
    if (in_folder() && known->first == each.path) ++known;
    if (each.entry.kind == EntryKind::kOther) gone.push_back(each.path);
  }
  for (; in_folder(); ++known) gone.push_back(known->first);
  for (const std::string& path : gone) forget(path, changes);
  for (const ScannedEntry& each : found->entries) {
    if (each.entry.kind != EntryKind::kOther) update(each.path, each.entry, Hint::kNone, changes);
  }
  return {};
}

void WatchedTree::update(const std::string& path, const Entry& entry, Hint hint, Changes* changes) {
  const Fingerprint now = fingerprint(entry);
  const auto [known, is_new] = known_.try_emplace(path, now);
  if (is_new) {
    note(path, ChangeKind::kCreated, changes);
    return;
  }
  const Fingerprint before = std::exchange(known->second, now);
  const bool entered_before = is_entered(before.kind, before.is_link);
  const bool entered_now = is_entered(now.kind, now.is_link);
  if (entered_before && !entered_now) forget_beneath(path, changes);
  if (entered_before && entered_now)
    return;  // A folder's time tells of what is in it, which is told by itself.
  if (hint == Hint::kTouched || before != now) note(path, ChangeKind::kModified, changes);
}

void WatchedTree::forget(std::string_view path, Changes* changes) {
  forget_beneath(path, changes);
  const auto known = known_.find(path);
  if (known == known_.end()) return;
  note(known->first, ChangeKind::kRemoved, changes);
  known_.erase(known);
}

void WatchedTree::forget_beneath(std::string_view folder, Changes* changes) {
  const std::string prefix = beneath_prefix(folder);
  for (auto it = known_.lower_bound(prefix); it != known_.end() && it->first.starts_with(prefix);) {
    note(it->first, ChangeKind::kRemoved, changes);
    it = known_.erase(it);
  }
}

std::vector<std::string> WatchedTree::folders(std::string_view path) const {
  std::vector<std::string> found;
  if (path.empty()) found.emplace_back();
  if (const auto own = known_.find(path);
      own != known_.end() && is_entered(own->second.kind, own->second.is_link)) {
    found.push_back(own->first);
  }
  const std::string prefix = beneath_prefix(path);
  for (auto it = known_.lower_bound(prefix); it != known_.end() && it->first.starts_with(prefix); ++it) {
    if (is_entered(it->second.kind, it->second.is_link)) found.push_back(it->first);
  }
  return found;
}

}  // namespace sluice::fs

#include "retention.h"

#include <algorithm>
#include <vector>

#include "sluice/fs/file_moves.h"

#include "journal.h"

namespace sluice::records {

namespace {

// tasks-2026-01-15-101112-000042.parquet, and not tasks-old-2026-….
bool is_snapshot_of(std::string_view data_type, std::string_view name) {
  if (!name.starts_with(data_type) || !name.ends_with(".parquet")) return false;
  name.remove_prefix(data_type.size());
  constexpr std::string_view kShape = "-0000-00-00-000000";
  if (name.size() < kShape.size()) return false;
  return std::equal(kShape.begin(), kShape.end(), name.begin(),
                    [](char shape, char c) { return shape == '0' ? c >= '0' && c <= '9' : c == shape; });
}

Status remove_snapshots(const fs::Root& root, const std::string& data_type, std::size_t kept) {
  const Result<fs::Listing> listing = root.list("snapshots");
  if (!listing.ok()) return listing.error().kind == ErrorKind::kNotFound ? Status() : Status(listing.error());
  std::vector<std::string> names;  // By time, as their names are.
  for (const fs::Entry& entry : listing->entries) {
    if (is_snapshot_of(data_type, entry.name)) names.push_back(entry.name);
  }
  const std::size_t surplus = names.size() - std::min(names.size(), std::max<std::size_t>(kept, 1));
  for (std::size_t i = 0; i < surplus; ++i) SLUICE_CHECK(fs::remove_file(root, "snapshots/" + names[i]));
  return {};
}

Status remove_segments(const fs::Root& root, const std::string& data_type, WallTime oldest) {
  const Journal journal(root, data_type);
  SLUICE_TRY(const std::vector<std::uint64_t> segments, journal.segments());
  for (std::size_t i = 0; i + 1 < segments.size(); ++i) {
    SLUICE_TRY(const WallTime modified, journal.modified(segments[i]));
    if (modified >= oldest) break;
    SLUICE_CHECK(journal.remove_segment(segments[i]));
  }
  return {};
}

}  // namespace

Status apply_retention(const fs::Root& root, const std::string& data_type, const Retention& retention,
                       WallTime now) {
  SLUICE_CHECK(remove_snapshots(root, data_type, retention.snapshots_max));
  if (retention.audit_age.count() == 0) return {};
  return remove_segments(root, data_type, now - retention.audit_age);
}

}  // namespace sluice::records

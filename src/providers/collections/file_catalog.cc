#include "file_catalog.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <memory_resource>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/base64.h"
#include "sluice/base/log.h"
#include "sluice/base/text.h"
#include "sluice/crypto/digest.h"

namespace sluice::collections {

namespace {

constexpr std::string_view kCardSuffix = ".schema.json";
constexpr std::string_view kValidationSuffix = "_validation.json";
constexpr std::size_t kNotesMax = 10;
// Linux stamps files by its timer tick, of which there are 100 a second or more.
constexpr std::chrono::milliseconds kFileClockTick{10};

// The DuckDB file whose log stands at a path: what is written to it is not in the file at first. Empty if the
// path is of no log.
std::string_view file_of_log(std::string_view path) {
  constexpr std::string_view kLogEnding = ".duckdb.wal";
  constexpr std::string_view kLogSuffix = ".wal";
  return path.ends_with(kLogEnding) ? path.substr(0, path.size() - kLogSuffix.size()) : std::string_view();
}

bool has_hidden_part(std::string_view path) {
  return path.starts_with('.') || path.find("/.") != std::string_view::npos;
}

// "07" → "7": one number has one address. Nothing where it is not an integer.
std::optional<std::string> plain_integer(std::string_view text) {
  std::int64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return std::to_string(number);
}

bool is_before(const std::string* known, std::string_view name) { return *known < name; }

std::string joined(const std::vector<std::string>& dimensions) {
  return fmt::format("{}", fmt::join(dimensions, "/"));
}

query::Collection make_collection(const CollectionSpec& spec, const std::optional<PathPattern>& pattern) {
  query::Collection collection{.name = spec.name,
                               .scheme = spec.scheme,
                               .description = spec.description,
                               .dimensions = {},
                               .unit = spec.unit,
                               .encoding = spec.encoding,
                               .types = spec.types,
                               .roles = spec.roles,
                               .repeated_totals = spec.repeated_totals,
                               .ratios = spec.ratios,
                               .overall_suffix = spec.overall_suffix,
                               .summaries = spec.summaries,
                               .entity = spec.entity,
                               .topics = spec.topics};
  if (!pattern) return collection;
  for (const std::string& name : pattern->names()) {
    const auto known = std::find_if(spec.dimensions.begin(), spec.dimensions.end(),
                                    [&](const query::Dimension& each) { return each.name == name; });
    collection.dimensions.push_back(known == spec.dimensions.end() ? query::Dimension{.name = name} : *known);
  }
  return collection;
}

}  // namespace

bool FileCatalog::Taken::has_name(std::string_view name) const {
  const auto found = std::lower_bound(named.begin(), named.end(), name, is_before);
  return found != named.end() && **found == name;
}

bool FileCatalog::Taken::has(const Place& place) const {
  return has_name(place.name) || has_dimensions(place);
}

bool FileCatalog::Taken::has_dimensions(const Place& place) const {
  return !place.dimensions.empty() && dimensions.contains(joined(place.dimensions));
}

void FileCatalog::Taken::add(const Known& known) {
  const std::string* name = known.name();
  named.insert(std::lower_bound(named.begin(), named.end(), *name, is_before), name);
  add_dimensions(known);
}

void FileCatalog::Taken::add_dimensions(const Known& known) {
  if (known.dataset && !known.dataset->identity().dimensions.empty())
    dimensions.insert(joined(known.dataset->identity().dimensions));
}

void FileCatalog::Taken::remove(const Known& known) {
  const std::string* name = known.name();
  const auto found = std::lower_bound(named.begin(), named.end(), *name, is_before);
  if (found != named.end() && *found == name) named.erase(found);
  if (known.dataset) dimensions.erase(joined(known.dataset->identity().dimensions));
}

FileCatalog::FileCatalog(const CollectionSpec& spec, std::optional<PathPattern> pattern,
                         std::shared_ptr<const fs::Root> root, std::shared_ptr<query::FileCopies> copies,
                         std::shared_ptr<query::DuckFiles> duck_files)
    : spec_(spec),
      pattern_(std::move(pattern)),
      root_(std::move(root)),
      maker_(root_, std::move(copies), std::move(duck_files)),
      collection_(std::make_shared<const query::Collection>(make_collection(spec_, pattern_))) {}

Result<FileCatalog> FileCatalog::create(const CollectionSpec& spec, std::shared_ptr<const fs::Root> root,
                                        std::shared_ptr<query::FileCopies> copies,
                                        std::shared_ptr<query::DuckFiles> duck_files) {
  SLUICE_CHECK(validate(spec));
  std::optional<PathPattern> pattern;
  if (!spec.pattern.empty()) {
    SLUICE_TRY(pattern, PathPattern::parse(spec.pattern));
  }
  return FileCatalog(spec, std::move(pattern), std::move(root), std::move(copies), std::move(duck_files));
}

bool FileCatalog::skips(std::string_view path) const {
  if (!spec_.file.empty()) return path != spec_.file && file_of_log(path) != spec_.file;
  if (has_hidden_part(path)) return true;
  if (!pattern_) return false;
  const auto depth = 1 + static_cast<std::size_t>(std::count(path.begin(), path.end(), '/'));
  return depth > pattern_->depth() + (spec_.subfolders.empty() ? 0 : 1);
}

bool FileCatalog::is_ignored(std::string_view path) const {
  if (!spec_.file.empty()) return false;
  if (path.ends_with(kCardSuffix)) return true;
  if (spec_.overall_suffix.empty()) return false;
  return path.ends_with(spec_.overall_suffix) || path.ends_with(kValidationSuffix);
}

std::string_view FileCatalog::without_subfolder(std::string_view path) const {
  for (const std::string& folder : spec_.subfolders) {
    if (path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/')
      return path.substr(folder.size() + 1);
  }
  return path;
}

std::optional<FileCatalog::Place> FileCatalog::place(std::string_view path) const {
  if (skips(path) || is_ignored(path)) return std::nullopt;
  std::optional<query::FileKind> kind = query::kind_of_file(path);
  if (!kind) return std::nullopt;
  const std::string_view stem = without_subfolder(kind->stem);
  const std::string name = spec_.file.empty() ? encode_controls(stem) : spec_.name;
  Place place{.name = spec_.name_prefix + name, .dimensions = {}, .kind = {}};
  if (pattern_) {
    const std::string_view named = pattern_->has_ending() ? without_subfolder(path) : stem;
    std::optional<std::vector<std::string>> values = pattern_->match(named);
    if (!values) return std::nullopt;
    for (std::size_t i = 0; i < values->size(); ++i) {
      std::string& value = (*values)[i];
      if (!collection_->dimensions[i].is_integer) {
        value = encode_controls(value);
        continue;
      }
      std::optional<std::string> number = plain_integer(value);
      if (!number) return std::nullopt;
      value = *std::move(number);
    }
    place.dimensions = *std::move(values);
  }
  place.kind = *std::move(kind);
  return place;
}

void FileCatalog::replace_all(const std::vector<fs::ScannedEntry>& entries, WallTime seen) {
  std::map<std::string, Known> old;
  old.swap(files_);
  taken_ = {};  // It borrows datasets, some of which go with `old`.
  needs_names_ = true;
  for (const fs::ScannedEntry& each : entries) {
    if (each.entry.kind != fs::EntryKind::kFile) continue;
    if (auto known = old.extract(each.path)) files_.insert(files_.end(), std::move(known));
    update(each.path, each.entry, Hint::kNone, seen);
  }
  for (const auto& [path, known] : old) is_changed_ |= known.name() != nullptr;
}

void FileCatalog::update(const std::string& path, const std::optional<fs::Entry>& entry, Hint hint,
                         WallTime seen) {
  if (const std::string file(file_of_log(path)); !file.empty()) {
    const Result<fs::Entry> written = root_->stat(file);
    if (files_.contains(file))
      update(file, written.ok() ? std::optional(*written) : std::nullopt, Hint::kNone, seen);
    return;
  }
  if (!entry || entry->kind != fs::EntryKind::kFile) {
    remove(path);
    return;
  }
  auto found = files_.find(path);
  if (found == files_.end()) {
    if (!place(path)) return;
    found = files_.try_emplace(path).first;
  }
  Known& known = found->second;
  const bool is_same = known.name() != nullptr && known.bytes == entry->bytes &&
                       known.modified == entry->modified && known.identity == entry->identity &&
                       (!known.parts || known.parts->log == query::duck_log_version(*root_, path));
  const bool is_rewritten = is_same && hint == Hint::kWritten && known.is_young;
  known.is_young = seen - entry->modified < kFileClockTick;
  if (is_same && !is_rewritten) return;
  known.rewrites = is_rewritten ? known.rewrites + 1 : 0;
  known.bytes = entry->bytes;
  known.modified = entry->modified;
  known.identity = entry->identity;
  add(path, known);
}

// Naming all files anew takes a moment where there are many, so the usual case is told apart: every file has
// the name that it would have alone, and so has this one.
void FileCatalog::add(const std::string& path, Known& known) {
  if (known.name() != nullptr) taken_.remove(known);
  known.dataset.reset();
  known.parts.reset();
  is_changed_ = true;
  if (needs_names_) return;
  std::optional<Place> alone = place(path);
  needs_names_ = !alone || taken_.has_rivals || taken_.has(*alone);
  if (needs_names_) return;
  make_datasets(path, known, *std::move(alone));
  taken_.add(known);
}

void FileCatalog::list_again() {
  if (!std::exchange(has_unlisted_, false)) return;
  for (auto& [path, known] : files_) {
    if (known.parts && known.parts->is_unlisted) add(path, known);
  }
}

void FileCatalog::remove(const std::string& path) {
  const auto found = files_.find(path);
  if (found == files_.end()) return;
  if (found->second.name() != nullptr) taken_.remove(found->second);
  files_.erase(found);
  needs_names_ = needs_names_ || taken_.has_rivals;
  is_changed_ = true;
}

// So short that a string has it within itself: there may be 100,000 of them.
std::string FileCatalog::version_of(const Known& known) {
  constexpr std::size_t kDigestBytes = 11;  // 15 characters.
  const auto modified_ns =
      std::chrono::duration_cast<std::chrono::nanoseconds>(known.modified.time_since_epoch()).count();
  const std::string whole = fmt::format("{:x}-{:x}-{:x}-{:x}-{}", known.identity.device, known.identity.inode,
                                        known.bytes, modified_ns, known.rewrites);
  std::string version = base64url_encode(std::string_view(crypto::sha256(whole)).substr(0, kDigestBytes));
  version.shrink_to_fit();
  return version;
}

query::Dataset::Identity FileCatalog::identity_of(const std::string& path, const Known& known,
                                                  Place& place) const {
  place.name.shrink_to_fit();
  return {.collection = collection_,
          .name = std::move(place.name),
          .dimensions = std::move(place.dimensions),
          .path = path,
          .bytes = known.bytes,
          .modified = known.modified,
          .version = version_of(known)};
}

void FileCatalog::make_datasets(const std::string& path, Known& known, Place place) {
  query::Dataset::Identity identity = identity_of(path, known, place);
  FileDatasets made = maker_.make(std::move(identity), place.kind);
  known.dataset = std::move(made.dataset);
  known.parts = std::move(made.parts);
  has_unlisted_ = has_unlisted_ || (known.parts && known.parts->is_unlisted);
}

// In order of path: the first file with a name has it, the next keeps its ending.
void FileCatalog::give_names() {
  taken_ = {};
  // In one piece, which is given back as one: nothing of it is left between what stays.
  std::pmr::monotonic_buffer_resource memory;
  std::pmr::unordered_set<std::string_view> names(&memory);  // Of datasets in files_.
  names.reserve(files_.size());
  const auto is_taken = [&](const Place& found) {
    return names.contains(found.name) || taken_.has_dimensions(found);
  };
  for (auto& [path, known] : files_) {
    std::optional<Place> found = place(path);
    if (!found) continue;
    bool is_named = !is_taken(*found);
    if (!is_named) {
      taken_.has_rivals = true;
      found->name = spec_.name_prefix + encode_controls(path);
      found->kind.stem = path;
      found->kind.keeps_ending = true;
      is_named = !is_taken(*found);
    }
    if (!is_named && !std::exchange(known.is_refused, true))
      log::warning("file_left_out", {{"path", path}, {"reason", "another file has its name"}});
    if (!is_named) {
      known.dataset.reset();
      known.parts.reset();
      continue;
    }
    known.is_refused = false;
    if (known.name() == nullptr || *known.name() != found->name)
      make_datasets(path, known, *std::move(found));
    names.insert(*known.name());
    taken_.add_dimensions(known);
  }
  taken_.named.reserve(names.size());
  for (const auto& [path, known] : files_) {
    if (known.name() != nullptr) taken_.named.push_back(known.name());
  }
  std::sort(taken_.named.begin(), taken_.named.end(),
            [](const std::string* a, const std::string* b) { return *a < *b; });
}

std::vector<std::string> FileCatalog::notes() const {
  std::vector<std::string> out;
  if (!taken_.has_rivals) return out;
  std::size_t more = 0;
  for (const auto& [path, known] : files_) {
    if (!known.is_refused) continue;
    if (out.size() == kNotesMax) {
      ++more;
      continue;
    }
    out.push_back(fmt::format("{} is left out: another file of collection {} has the same {}.",
                              encode_controls(excerpt(path)), collection_->name,
                              collection_->dimensions.empty() ? "name" : "dimensions"));
  }
  if (more > 0)
    out.push_back(fmt::format("{} more files of collection {} are left out.", more, collection_->name));
  return out;
}

std::optional<std::vector<query::DatasetPtr>> FileCatalog::take_changes() {
  if (!std::exchange(is_changed_, false)) return std::nullopt;
  if (std::exchange(needs_names_, false)) give_names();
  std::vector<query::DatasetPtr> datasets;
  datasets.reserve(files_.size());
  for (const auto& [path, known] : files_) {
    if (known.dataset) datasets.push_back(known.dataset);
    if (!known.parts) continue;
    for (const query::DatasetPtr& part : known.parts->datasets) {
      // Else another file has it.
      const bool is_own = !known.dataset && part->name() == known.parts->name;
      if (is_own || !taken_.has_name(part->name())) datasets.push_back(part);
    }
  }
  return datasets;
}

}  // namespace sluice::collections

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "sluice/base/clock.h"
#include "sluice/collections/collection_spec.h"
#include "sluice/fs/root.h"
#include "sluice/fs/scan.h"
#include "sluice/query/dataset.h"
#include "sluice/query/duck_files.h"
#include "sluice/query/file_dataset.h"

#include "dataset_maker.h"
#include "path_pattern.h"

namespace sluice::collections {

// Which files of a folder are datasets, and under which names. Knows what it was told of the disk and does
// not look at it itself. One thread at a time.
class FileCatalog {
 public:
  // `spec` must be valid.
  static Result<FileCatalog> create(const CollectionSpec& spec, std::shared_ptr<const fs::Root> root,
                                    std::shared_ptr<query::FileCopies> copies = nullptr,
                                    std::shared_ptr<query::DuckFiles> duck_files = nullptr);

  const std::shared_ptr<const query::Collection>& collection() const { return collection_; }
  // Whether nothing at or beneath a path can be a dataset. Any thread.
  bool skips(std::string_view path) const;

  // What a scan at the time `seen` found.
  void replace_all(const std::vector<fs::ScannedEntry>& entries, WallTime seen);

  enum class Hint : std::uint8_t { kNone, kWritten };
  // What stands at a path at the time `seen`, or nothing. A file that was written may look as it did before.
  void update(const std::string& path, const std::optional<fs::Entry>& entry, Hint hint, WallTime seen);
  // Looks again at the files whose tables could not be listed.
  void list_again();

  // The datasets, in order of path; nothing where they are the same as at the last call.
  std::optional<std::vector<query::DatasetPtr>> take_changes();
  // As of that call: which files are no datasets although they fit, in words for whoever looks for them.
  std::vector<std::string> notes() const;

 private:
  struct Known {
    std::uint64_t bytes = 0;
    WallTime modified;
    fs::FileIdentity identity;
    std::uint32_t rewrites = 0;  // How often it was written without looking different.
    bool is_young = false;       // Written so shortly before it was looked at that the clock cannot tell.
    bool is_refused = false;     // It has no name of its own, which was logged.
    query::DatasetPtr dataset;   // Null until it is made, where it is refused, and of a file of several.
    std::unique_ptr<FileParts> parts;  // May be null.

    // The name that it has among the files; null where it has none.
    const std::string* name() const {
      if (dataset) return &dataset->name();
      return parts ? &parts->name : nullptr;
    }
  };
  struct Place {
    std::string name;
    std::vector<std::string> dimensions;
    query::FileKind kind;
  };
  // What is given out. One set of files always gets the same names, whatever the order in which they came.
  struct Taken {
    bool has(const Place& place) const;  // Its name or its dimensions.
    bool has_dimensions(const Place& place) const;
    void add(const Known& known);
    void add_dimensions(const Known& known);
    void remove(const Known& known);
    bool has_name(std::string_view name) const;

    std::vector<const std::string*> named;       // In order. files_ keeps them alive.
    std::unordered_set<std::string> dimensions;  // Joined by slashes, which no value has.
    bool has_rivals = false;                     // Some file could not have the name it would have alone.
  };

  FileCatalog(const CollectionSpec& spec, std::optional<PathPattern> pattern,
              std::shared_ptr<const fs::Root> root, std::shared_ptr<query::FileCopies> copies,
              std::shared_ptr<query::DuckFiles> duck_files);

  bool is_ignored(std::string_view path) const;
  std::string_view without_subfolder(std::string_view path) const;
  std::optional<Place> place(std::string_view path) const;
  void add(const std::string& path, Known& known);
  void remove(const std::string& path);
  void give_names();
  static std::string version_of(const Known& known);
  void make_datasets(const std::string& path, Known& known, Place place);
  query::Dataset::Identity identity_of(const std::string& path, const Known& known, Place& place) const;

  CollectionSpec spec_;
  std::optional<PathPattern> pattern_;
  std::shared_ptr<const fs::Root> root_;  // Shared with the datasets, which open their files by it.
  DatasetMaker maker_;
  std::shared_ptr<const query::Collection> collection_;  // Shared with the datasets.
  std::map<std::string, Known> files_;                   // By path.
  Taken taken_;
  bool needs_names_ = true;  // All of them, since one that came or went may concern others.
  bool is_changed_ = true;
  bool has_unlisted_ = false;  // Some file whose tables could not be listed.
};

}  // namespace sluice::collections

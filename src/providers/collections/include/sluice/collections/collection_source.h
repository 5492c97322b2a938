#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "sluice/base/background_thread.h"
#include "sluice/base/result.h"
#include "sluice/collections/collection_spec.h"
#include "sluice/query/file_copies.h"
#include "sluice/query/registry.h"

namespace sluice::collections {

// The files of one collection, as datasets of the registry, kept up to date while this lives. A dataset whose
// file has not changed stays the same object, so that what is known of it (its rows) stays known.
//
// A dataset is named by its file's path without the endings. Where two files have the same, the later one in
// byte order keeps its ending. Characters that cannot be seen are percent-encoded in names. Hidden files and
// folders, schema cards (*.schema.json), and links that lead out of the folder are not served.
class CollectionSource {
 public:
  // The registry has the collection, and none of its files. `registry` must outlive this. Without `copies`,
  // files in some encodings are refused when they are read.
  static Result<std::unique_ptr<CollectionSource>> open(const CollectionSpec& spec, query::Registry& registry,
                                                        std::shared_ptr<query::FileCopies> copies = nullptr);
  // Reads and watches the folder, once. Returns when the registry has all files: a second or two for 100,000.
  Status begin();
  // Both at once.
  static Result<std::unique_ptr<CollectionSource>> start(const CollectionSpec& spec,
                                                         query::Registry& registry,
                                                         std::shared_ptr<query::FileCopies> copies = nullptr);
  CollectionSource(const CollectionSource&) = delete;
  CollectionSource& operator=(const CollectionSource&) = delete;
  // Nothing changes in the registry afterwards; the datasets stay in it, and can be read.
  ~CollectionSource();

  // Absolute, links resolved: what the engine must be allowed to read. A folder that is removed and made
  // again at that place is noticed within a second or two, and served.
  const std::string& folder() const { return folder_; }
  const query::Collection& collection() const { return *collection_; }

 private:
  class Loop;
  CollectionSource(CollectionSpec spec, query::Registry& registry, std::shared_ptr<query::FileCopies> copies);
  Result<std::unique_ptr<Loop>> make_loop() const;
  void follow_folder(const std::stop_token& stop);
  void reopen();

  CollectionSpec spec_;  // With the folder as it was found.
  query::Registry& registry_;
  const std::shared_ptr<query::FileCopies> copies_;  // Shared by all datasets. May be null.
  std::string folder_;
  std::shared_ptr<const query::Collection> collection_;  // As it was opened; shared with its datasets.
  std::unique_ptr<Loop> loop_;                           // Of `follower_` alone once that runs.
  BackgroundThread follower_;                            // Last: it ends before the rest goes.
};

}  // namespace sluice::collections

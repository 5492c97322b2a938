#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "sluice/base/result.h"
#include "sluice/cache/cache.h"
#include "sluice/catalog/context.h"
#include "sluice/fetch/url.h"
#include "sluice/fs/private_folder.h"

#include "portal/portal_api.h"

namespace sluice::ckan {

// A file of the program's own, which goes with this.
class OwnFile {
 public:
  OwnFile(std::shared_ptr<const fs::PrivateFolder> folder, std::string name)
      : folder_(std::move(folder)), name_(std::move(name)) {}
  OwnFile(const OwnFile&) = delete;
  OwnFile& operator=(const OwnFile&) = delete;
  ~OwnFile() { (void)folder_->remove(name_); }

  const fs::PrivateFolder& folder() const { return *folder_; }
  const std::string& name() const { return name_; }
  Result<fs::File> open() const { return folder_->root().open_beneath(name_); }

 private:
  const std::shared_ptr<const fs::PrivateFolder> folder_;  // Shared by its files.
  const std::string name_;
};

// What was downloaded from one URL. Immutable.
struct Download {
  std::shared_ptr<const OwnFile> file;  // Shared with what is made of it.
  std::uint64_t bytes = 0;
  std::string etag;
  std::string last_modified;
  std::string type;  // As the sender says: Content-Type.
};
using DownloadPtr = std::shared_ptr<const Download>;  // The store, and calls that read it.

// What has come of a file whose download was broken off. Immutable.
struct PartialDownload {
  std::shared_ptr<const OwnFile> file;  // Shared with who goes on from there.
  std::uint64_t bytes = 0;
  std::string validator;  // What proves that the rest is of the same file.
};
using PartialPtr = std::shared_ptr<const PartialDownload>;  // The store, and the call that goes on.

// Files of portals in the spool. Each is downloaded once, whoever asks; after a while the server is asked
// whether it has changed. The least recently used go first. Any thread.
class FileStore {
 public:
  struct Options {
    std::string folder;           // The spool.
    std::uint64_t bytes_max = 0;  // Of all files.
  };
  // `api` must outlive it.
  static Result<std::unique_ptr<FileStore>> create(PortalApi& api, const Options& options);

  // Told once of a large file that its beginning is there, as a file of its own which ends with a line, while
  // the rest is still coming. `version` is the name that the whole file will have.
  using OnBeginning =
      std::function<void(const std::shared_ptr<const OwnFile>& beginning, const std::string& version)>;

  // Broken connections are gone on from, and so are downloads of calls that ended too early. Tells `context`
  // how far it is.
  Result<DownloadPtr> get(const fetch::Url& url, catalog::Context& context, const OnBeginning& on_beginning);
  const std::shared_ptr<const fs::PrivateFolder>& folder() const { return folder_; }

 private:
  FileStore(PortalApi& api, const Options& options, std::shared_ptr<const fs::PrivateFolder> folder);
  void keep_partial(const cache::Key& key, const std::string& validator, std::uint64_t bytes,
                    const Error& why, const std::function<Result<std::shared_ptr<const OwnFile>>()>& take);
  // Null: what is kept still holds.
  Result<DownloadPtr> download(const fetch::Url& url, const Download* old, std::stop_token stop,
                               catalog::Context& context, const OnBeginning& on_beginning);

  PortalApi& api_;
  const std::shared_ptr<const fs::PrivateFolder> folder_;  // Shared with its files.
  cache::Cache<DownloadPtr> fresh_;
  cache::Cache<DownloadPtr> kept_;
  cache::Cache<PartialPtr> partial_;
};

}  // namespace sluice::ckan

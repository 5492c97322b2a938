#include "sluice/oauth/token_store.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/limits.h"
#include "sluice/base/mutex.h"
#include "sluice/crypto/digest.h"
#include "sluice/fs/durable.h"
#include "sluice/fs/lock.h"
#include "sluice/fs/private_folder.h"

#include "grant_json.h"

namespace sluice::oauth {

namespace {

constexpr std::string_view kFile = "tokens.json";
constexpr std::string_view kLock = "tokens.lock";

// A request for a token takes at most kFetchTotalTimeout; the first who waits gets its turn.
constexpr std::chrono::milliseconds kHoldTimeout = kFetchTotalTimeout + std::chrono::milliseconds(5'000);
// Resources share this many files, so that their number is bounded. Two that share one wait for each other.
constexpr unsigned kHoldFiles = 64;

using Grants = std::vector<StoredGrant>;

std::optional<StoredGrant> find_in(const Grants& grants, const std::string& issuer,
                                   const std::string& resource) {
  const auto found = std::find_if(grants.begin(), grants.end(), [&](const StoredGrant& grant) {
    return grant.issuer == issuer && grant.resource == resource;
  });
  return found == grants.end() ? std::nullopt : std::optional<StoredGrant>(*found);
}

std::optional<StoredGrant> latest_in(const Grants& grants, const std::string& resource) {
  const auto found = std::find_if(grants.rbegin(), grants.rend(),
                                  [&](const StoredGrant& grant) { return grant.resource == resource; });
  return found == grants.rend() ? std::nullopt : std::optional<StoredGrant>(*found);
}

void remove_from(Grants& grants, const std::string& issuer, const std::string& resource) {
  std::erase_if(
      grants, [&](const StoredGrant& grant) { return grant.issuer == issuer && grant.resource == resource; });
}

void add_to(Grants& grants, const StoredGrant& grant) {
  remove_from(grants, grant.issuer, grant.resource);
  grants.push_back(grant);
  if (grants.size() > kTokenStoreGrantsMax) grants.erase(grants.begin());  // The oldest.
}

// Which resources are being renewed in this process.
class Renewals {
 public:
  bool enter(const std::string& resource, std::stop_token stop) {
    const MutexLock lock(mutex_);
    const bool is_free = left_.wait_for(mutex_, std::move(stop), kHoldTimeout, [&]() SLUICE_REQUIRES(mutex_) {
      return entered_.count(resource) == 0;
    });
    if (is_free) entered_.insert(resource);
    return is_free;
  }
  void leave(const std::string& resource) {
    MutexLock lock(mutex_);
    entered_.erase(resource);
    left_.notify_all();
  }

 private:
  Mutex mutex_;
  CondVar left_;
  std::set<std::string> entered_ SLUICE_GUARDED_BY(mutex_);
};

class MemoryHold final : public TokenStore::Hold {
 public:
  MemoryHold(std::shared_ptr<Renewals> renewals, std::string resource)
      : renewals_(std::move(renewals)), resource_(std::move(resource)) {}
  MemoryHold(const MemoryHold&) = delete;
  MemoryHold& operator=(const MemoryHold&) = delete;
  ~MemoryHold() override { renewals_->leave(resource_); }

 private:
  const std::shared_ptr<Renewals> renewals_;  // Shared with the store, which may go first.
  const std::string resource_;
};

class FileHold final : public TokenStore::Hold {
 public:
  explicit FileHold(fs::FileLock lock) : lock_(std::move(lock)) {}

 private:
  const fs::FileLock lock_;
};

class MemoryTokenStore final : public TokenStore {
 public:
  Result<std::optional<StoredGrant>> find(const std::string& issuer, const std::string& resource) override {
    const MutexLock lock(mutex_);
    return find_in(grants_, issuer, resource);
  }
  Result<std::optional<StoredGrant>> latest(const std::string& resource) override {
    const MutexLock lock(mutex_);
    return latest_in(grants_, resource);
  }
  Result<Grants> all() override {
    const MutexLock lock(mutex_);
    return grants_;
  }
  Status save(const StoredGrant& grant) override {
    const MutexLock lock(mutex_);
    add_to(grants_, grant);
    ++changes_;
    return {};
  }
  Status remove(const std::string& issuer, const std::string& resource) override {
    const MutexLock lock(mutex_);
    remove_from(grants_, issuer, resource);
    ++changes_;
    return {};
  }
  Result<std::unique_ptr<Hold>> hold(const std::string& resource, std::stop_token stop) override {
    if (!renewals_->enter(resource, stop)) {
      if (stop.stop_requested()) return cancelled();
      return deadline_exceeded().with_code("locked");
    }
    return std::unique_ptr<Hold>(std::make_unique<MemoryHold>(renewals_, resource));
  }
  std::string version() override {
    MutexLock lock(mutex_);
    return std::to_string(changes_);
  }

 private:
  Mutex mutex_;
  Grants grants_ SLUICE_GUARDED_BY(mutex_);
  std::uint64_t changes_ SLUICE_GUARDED_BY(mutex_) = 0;
  const std::shared_ptr<Renewals> renewals_ = std::make_shared<Renewals>();  // Shared with those who hold.
};

class FileTokenStore final : public TokenStore {
 public:
  explicit FileTokenStore(fs::PrivateFolder folder) : folder_(std::move(folder)) {}

  Result<std::optional<StoredGrant>> find(const std::string& issuer, const std::string& resource) override {
    SLUICE_TRY(const Grants grants, read());
    return find_in(grants, issuer, resource);
  }
  Result<std::optional<StoredGrant>> latest(const std::string& resource) override {
    SLUICE_TRY(const Grants grants, read());
    return latest_in(grants, resource);
  }
  Result<Grants> all() override { return read(); }
  Status save(const StoredGrant& grant) override {
    SLUICE_TRY(const fs::FileLock lock, take_lock());
    SLUICE_TRY(Grants grants, read());
    add_to(grants, grant);
    return write(grants);
  }
  Status remove(const std::string& issuer, const std::string& resource) override {
    SLUICE_TRY(const fs::FileLock lock, take_lock());
    SLUICE_TRY(Grants grants, read());
    remove_from(grants, issuer, resource);
    return write(grants);
  }
  Result<std::unique_ptr<Hold>> hold(const std::string& resource, std::stop_token stop) override {
    const auto number = static_cast<unsigned char>(crypto::sha256(resource).front()) % kHoldFiles;
    SLUICE_TRY(fs::FileLock lock, fs::FileLock::take(folder_.root(), fmt::format("renew-{:02}.lock", number),
                                                     system_clock().now() + kHoldTimeout, std::move(stop)));
    return std::unique_ptr<Hold>(std::make_unique<FileHold>(std::move(lock)));
  }
  // The file is replaced as a whole, so that a change of it is another file.
  std::string version() override {
    const Result<fs::File> file = folder_.root().open_beneath(kFile);
    const Result<fs::FileStatus> status = file.ok() ? file->status() : Result<fs::FileStatus>(file.error());
    if (!status.ok()) return {};
    return fmt::format("{} {} {} {}", status->identity.device, status->identity.inode, status->bytes,
                       status->modified.time_since_epoch().count());
  }

 private:
  Result<fs::FileLock> take_lock() const {
    return fs::FileLock::take(folder_.root(), kLock, system_clock().now() + kTokenStoreLockTimeout);
  }

  Result<Grants> read() const {
    Result<fs::File> file = folder_.root().open_beneath(kFile);
    if (!file.ok()) {
      if (file.error().kind == ErrorKind::kNotFound) return Grants();
      return std::move(file).error();
    }
    SLUICE_TRY(const fs::FileStatus status, file->status());
    if (!status.is_private)
      return forbidden("read stored tokens: others may read the file")
          .with_code("token_store_exposed")
          .with_hint(
              "Remove tokens.json and revoke what was in it: whoever could read it may have its tokens.");
    SLUICE_TRY(const std::string text, file->read_all(kTokenStoreBytesMax));
    return decode_grants(text);
  }

  Status write(const Grants& grants) const {
    return fs::replace_private_file(folder_.root(), kFile, encode_grants(grants));
  }

  const fs::PrivateFolder folder_;
};

}  // namespace

std::unique_ptr<TokenStore> make_memory_token_store() { return std::make_unique<MemoryTokenStore>(); }

Result<std::unique_ptr<TokenStore>> make_file_token_store(const std::string& folder) {
  SLUICE_TRY(fs::PrivateFolder opened, fs::PrivateFolder::open(folder));
  return std::unique_ptr<TokenStore>(std::make_unique<FileTokenStore>(std::move(opened)));
}

}  // namespace sluice::oauth

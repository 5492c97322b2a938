#include "sluice/oauth/lazy_tokens.h"

#include <filesystem>
#include <optional>
#include <stop_token>
#include <system_error>
#include <utility>
#include <vector>

#include "sluice/base/mutex.h"

namespace sluice::oauth {
namespace {

class LazyTokens final : public TokenStore {
 public:
  explicit LazyTokens(std::string folder) : folder_(std::move(folder)) {}

  Result<std::optional<StoredGrant>> find(const std::string& issuer, const std::string& resource) override {
    if (!is_there()) return std::optional<StoredGrant>();
    SLUICE_TRY(TokenStore* const store, open());
    return store->find(issuer, resource);
  }
  Result<std::optional<StoredGrant>> latest(const std::string& resource) override {
    if (!is_there()) return std::optional<StoredGrant>();
    SLUICE_TRY(TokenStore* const store, open());
    return store->latest(resource);
  }
  Result<std::vector<StoredGrant>> all() override {
    if (!is_there()) return std::vector<StoredGrant>();
    SLUICE_TRY(TokenStore* const store, open());
    return store->all();
  }
  Status save(const StoredGrant& grant) override {
    SLUICE_TRY(TokenStore* const store, open());
    return store->save(grant);
  }
  Status remove(const std::string& issuer, const std::string& resource) override {
    if (!is_there()) return {};
    SLUICE_TRY(TokenStore* const store, open());
    return store->remove(issuer, resource);
  }
  // A folder that is not there has nothing that could be renewed twice.
  Result<std::unique_ptr<Hold>> hold(const std::string& resource, std::stop_token stop) override {
    if (!is_there()) return std::unique_ptr<Hold>();
    SLUICE_TRY(TokenStore* const store, open());
    return store->hold(resource, std::move(stop));
  }
  std::string version() override {
    if (!is_there()) return {};
    const Result<TokenStore*> store = open();
    return store.ok() ? (*store)->version() : std::string();
  }

 private:
  bool is_there() const {
    std::error_code reason;
    return std::filesystem::exists(folder_, reason);
  }

  Result<TokenStore*> open() {
    const MutexLock lock(mutex_);
    if (!store_) {
      SLUICE_TRY(store_, make_file_token_store(folder_));
    }
    return store_.get();
  }

  const std::string folder_;
  Mutex mutex_;
  std::unique_ptr<TokenStore> store_ SLUICE_GUARDED_BY(mutex_);  // Once it is there, it stays.
};

}  // namespace

std::shared_ptr<TokenStore> make_lazy_tokens(std::string folder) {
  if (folder.empty()) return make_memory_token_store();
  return std::make_shared<LazyTokens>(std::move(folder));
}

}  // namespace sluice::oauth

#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "sluice/base/clock.h"
#include "sluice/crypto/signer.h"
#include "sluice/exports/file_format.h"
#include "sluice/query/snapshot.h"

namespace sluice::exports {

inline constexpr std::string_view kDownloadPath = "/download/";

// Links to results, which work without a token until they expire. The signature covers the handle, its owner
// and the expiry; it is good for every format. Any thread.
class DownloadLinks {
 public:
  struct Options {
    std::string public_url;  // "https://data.example.org".
    std::chrono::seconds ttl{300};
  };
  // `clock` must outlive it.
  DownloadLinks(Options options, crypto::Signer signer, const Clock& clock);

  struct Link {
    std::string url;
    WallTime expires;  // At most when the handle does.
  };
  // `name` is that of the file without its ending; empty: one is chosen.
  Link make(const query::Snapshot& snapshot, FileFormat format, std::string_view name) const;

  // Whether `expires` and `signature` are those of a link to this snapshot that is still good.
  bool verify(const query::Snapshot& snapshot, std::string_view expires, std::string_view signature) const;

 private:
  static std::string digest(const query::Snapshot& snapshot, std::string_view expires);

  const Options options_;
  const crypto::Signer signer_;
  const Clock& clock_;
};

}  // namespace sluice::exports

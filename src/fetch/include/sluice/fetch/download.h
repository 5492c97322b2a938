#pragma once

#include <cstdint>
#include <string_view>

#include "sluice/base/result.h"
#include "sluice/fetch/client.h"
#include "sluice/fetch/retry.h"

namespace sluice::fetch {

// Where a download goes, e.g. a file in a spool.
class DownloadTarget {
 public:
  virtual ~DownloadTarget() = default;
  virtual Status append(std::string_view piece) = 0;
  virtual Status restart() = 0;  // What has been appended is not part of it.
};

struct Downloaded {
  Head head;                // Of the last answer. Nothing is appended of one that is no success.
  std::uint64_t bytes = 0;  // In the target.
  std::size_t resumed = 0;  // How often a broken connection was gone on from.
};

// Downloads to a target, as it is sent: not decompressed. Where the connection breaks and the answer has an
// ETag or a date, it goes on from there, provided that it is still the same; else it begins anew. At most
// `limits.bytes_max` in all. The request must be a GET.
Result<Downloaded> download(Client& client, const Request& request, DownloadTarget& target,
                            const RetryRules& rules, const RetryTools& tools);

}  // namespace sluice::fetch

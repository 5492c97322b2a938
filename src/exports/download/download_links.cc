#include "sluice/exports/download_links.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/uri.h"
#include "sluice/crypto/digest.h"

namespace sluice::exports {

namespace {

constexpr std::string_view kDownloadPurpose = "download";

}  // namespace

DownloadLinks::DownloadLinks(Options options, crypto::Signer signer, const Clock& clock)
    : options_(std::move(options)), signer_(std::move(signer)), clock_(clock) {}

// What is signed, as a digest: who has the link is not told who owns the result. The owner stands last,
// because its text may hold anything; the others hold no space.
std::string DownloadLinks::digest(const query::Snapshot& snapshot, std::string_view expires) {
  return crypto::sha256(fmt::format("{} {} {}", snapshot.id, expires, snapshot.owner.id));
}

DownloadLinks::Link DownloadLinks::make(const query::Snapshot& snapshot, FileFormat format,
                                        std::string_view name) const {
  const auto left = std::chrono::duration_cast<std::chrono::seconds>(snapshot.expires - clock_.now());
  const auto now = std::chrono::floor<std::chrono::seconds>(clock_.wall());
  const auto expires = now + std::clamp(left, std::chrono::seconds(0), options_.ttl);
  const std::string text = std::to_string(expires.time_since_epoch().count());
  Link out{.url = fmt::format("{}{}{}.{}?exp={}&sig={}", options_.public_url, kDownloadPath, snapshot.id,
                              name_of(format), text, signer_.sign(kDownloadPurpose, digest(snapshot, text))),
           .expires = expires};
  if (!name.empty()) out.url += "&name=" + percent_encode(name);
  return out;
}

bool DownloadLinks::verify(const query::Snapshot& snapshot, std::string_view expires,
                           std::string_view signature) const {
  std::int64_t seconds = 0;
  const auto parsed = std::from_chars(expires.data(), expires.data() + expires.size(), seconds);
  if (parsed.ec != std::errc() || parsed.ptr != expires.data() + expires.size()) return false;
  const std::optional<std::string> signed_digest = signer_.verify(kDownloadPurpose, signature);
  if (!signed_digest || !crypto::equal_in_constant_time(*signed_digest, digest(snapshot, expires)))
    return false;
  return clock_.wall().time_since_epoch() < std::chrono::seconds(seconds);
}

}  // namespace sluice::exports

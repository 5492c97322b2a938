#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sluice::server {

// Bounds of the server that nothing outside of it needs. Amounts are shared out by FairQuota: one caller
// alone gets half.

// Parameters of requests that wait or run. A request has at most some 20 MB of them; what takes less than
// `kSmallParamsBytes` does not count.
inline constexpr std::uint64_t kParamsBytesMax = std::uint64_t{256} * 1024 * 1024;
inline constexpr std::uint64_t kSmallParamsBytes = std::uint64_t{16} * 1024;

// Threads of handlers that ignore their stop token, beyond the workers.
inline constexpr std::size_t kStuckWorkersMax = 16;

// One in so many workers may wait for a person.
inline constexpr std::size_t kWorkersPerAsk = 4;
inline constexpr std::size_t kAsksMin = 2;
// How often a question that waits looks whether its client is still connected.
inline constexpr std::chrono::milliseconds kReachableInterval{100};

// Subscribed URIs of all streams and sessions. Each is held several times: by its stream, the catalog and the
// provider that watches it.
inline constexpr std::uint64_t kSubscribedBytesMax = std::uint64_t{16} * 1024 * 1024;
inline constexpr std::uint64_t kSubscriptionOverheadBytes = 128;

inline std::uint64_t subscription_cost(std::string_view uri) {
  return uri.size() + kSubscriptionOverheadBytes;
}

}  // namespace sluice::server

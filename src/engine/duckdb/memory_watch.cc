#include "memory_watch.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

namespace sluice::engine::duck {

namespace {

// A share below this is not worth ending a statement for: it would free next to nothing.
constexpr std::uint64_t kShareBytesMin = std::uint64_t{16} << 20U;
// A measurement that is older was made before the statements began that run now.
constexpr int kIntervalsMax = 4;

// The bound is for statements, within the engine's own limit and beside it; the rest of the process needs
// room too.
std::uint64_t process_bound(const MemoryWatch::Options& options) {
  if (options.bytes_max == 0) return UINT64_MAX;
  constexpr std::uint64_t kRest = std::uint64_t{256} << 20U;
  return options.measure() + options.bytes_max + options.bytes_max / 4 + kRest;
}

std::string_view next_word(std::string_view& text) {
  const std::size_t end = text.find(' ');
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return word;
}

std::uint64_t number_of(std::string_view text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

std::uint64_t process_memory_bytes() {
  const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  std::array<char, 256> buffer{};
  const ssize_t size = ::read(file, buffer.data(), buffer.size());
  ::close(file);
  if (size <= 0) return 0;
  std::string_view text(buffer.data(), static_cast<std::size_t>(size));
  next_word(text);  // Address space.
  const std::uint64_t resident = number_of(next_word(text));
  const std::uint64_t shared = number_of(next_word(text));
  static const auto kPageBytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return resident > shared ? (resident - shared) * kPageBytes : 0;
}

MemoryWatch::MemoryWatch(Options options)
    : options_(std::move(options)), bytes_max_(process_bound(options_)) {}

Monotonic MemoryWatch::next(Monotonic now) const {
  return options_.bytes_max == 0 ? Monotonic::max() : std::max(now, last_look_) + options_.interval;
}

MemoryWatch::Share* MemoryWatch::look(Monotonic now, const std::vector<Share*>& running) {
  if (options_.bytes_max == 0 || running.empty() || now - last_look_ < options_.interval) return nullptr;
  const std::uint64_t bytes = options_.measure();
  const bool is_first = now - last_look_ > kIntervalsMax * options_.interval;
  const std::uint64_t before = is_first ? bytes : last_bytes_;
  last_look_ = now;
  last_bytes_ = bytes;
  const std::uint64_t change = (std::max(bytes, before) - std::min(bytes, before)) / running.size();
  for (Share* share : running)
    share->bytes = bytes > before ? share->bytes + change : share->bytes - std::min(share->bytes, change);
  if (bytes <= bytes_max_) return nullptr;
  // Of equal ones the newest: it began when the memory did not suffice.
  Share* heaviest = nullptr;
  for (Share* share : running) {
    if (heaviest == nullptr || share->bytes >= heaviest->bytes) heaviest = share;
  }
  return heaviest->bytes >= kShareBytesMin ? heaviest : nullptr;
}

}  // namespace sluice::engine::duck

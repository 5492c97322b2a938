#include "transfer.h"

#include <charconv>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/limits.h"
#include "sluice/base/text.h"

namespace sluice::fetch {

namespace {

// What an answer may still take to end, and bring, when nothing more of it is wanted: less than a new
// connection would.
constexpr std::chrono::milliseconds kEndTimeout{20};
constexpr std::uint64_t kDroppedBytesMax = 16 * 1024;

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

bool redirects(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

std::string_view without_line_end(std::string_view line) {
  while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

Transfer::Transfer(const Parts& parts) : parts_(parts), last_activity_(parts.clock.now()) {
  head_.url = parts.url;
}

bool Transfer::fail(Error error) {
  if (!failure_) failure_ = std::move(error);
  return false;
}

bool Transfer::too_large() {
  return fail(limit_reached(fmt::format("bytes in an answer of {}", parts_.url.origin()),
                            parts_.request.limits.bytes_max)
                  .with_code("answer_too_large"));
}

bool Transfer::begin_head(std::string_view line) {
  head_.headers.clear();  // Those of an interim answer do not count.
  const std::size_t space = line.find(' ');
  const std::string_view code =
      space == std::string_view::npos ? std::string_view() : line.substr(space + 1, 3);
  head_.status = static_cast<int>(parse_number(code).value_or(0));
  if (head_.status >= 100 && head_.status <= 999) return true;
  return fail(unavailable(fmt::format("fetch {}: the answer is not HTTP", parts_.url.origin()))
                  .with_code("answer_broken"));
}

bool Transfer::take_header(std::string_view line) {
  last_activity_ = parts_.clock.now();
  header_bytes_ += line.size();
  if (header_bytes_ > kFetchHeaderBytesMax)
    return fail(limit_reached(fmt::format("bytes of headers in an answer of {}", parts_.url.origin()),
                              kFetchHeaderBytesMax)
                    .with_code("answer_too_large"));
  if (is_head_over_) return true;  // Trailers are nothing to go by.
  line = without_line_end(line);
  if (line.starts_with("HTTP/")) return begin_head(line);
  if (line.empty()) return head_.status < 200 || end_head();
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return true;
  head_.headers.emplace_back(to_lower_ascii(trim_spaces(line.substr(0, colon))),
                             std::string(trim_spaces(line.substr(colon + 1))));
  return true;
}

bool Transfer::end_head() {
  is_head_over_ = true;
  const std::string* location = find_header(head_.headers, "location");
  if (redirects(head_.status) && location != nullptr) {
    location_ = *location;
    return true;
  }
  const std::string* length = find_header(head_.headers, "content-length");
  const bool has_body = parts_.request.method != "HEAD";
  if (has_body && length != nullptr) {
    const std::optional<std::uint64_t> bytes = parse_number(*length);
    if (bytes && *bytes > parts_.request.limits.bytes_max) return too_large();
  }
  const Status begun = parts_.sink.begin(head_);
  last_activity_ = parts_.clock.now();
  return begun.ok() || fail(begun.error());
}

bool Transfer::take_body(std::string_view piece) {
  last_activity_ = parts_.clock.now();
  body_bytes_ += piece.size();
  if (location_) {  // Read, so that the connection can be used again, as long as it is short.
    return body_bytes_ <= kFetchRedirectBodyBytesMax ||
           fail(limit_reached(fmt::format("bytes in a redirect of {}", parts_.url.origin()),
                              kFetchRedirectBodyBytesMax)
                    .with_code("answer_too_large"));
  }
  if (end_by_) {
    dropped_bytes_ += piece.size();
    return dropped_bytes_ <= kDroppedBytesMax;
  }
  if (body_bytes_ > parts_.request.limits.bytes_max) return too_large();
  const Result<Flow> flow = parts_.sink.write(piece);
  last_activity_ = parts_.clock.now();  // The sink's own time is not the other end's.
  if (!flow.ok()) return fail(flow.error());
  if (*flow == Flow::kMore) return true;
  had_enough_ = true;
  if (*flow == Flow::kEnough) return false;
  end_by_ = last_activity_ + kEndTimeout;
  return true;
}

bool Transfer::take_count(std::uint64_t bytes) {
  return bytes <= parts_.request.limits.bytes_max || too_large();
}

bool Transfer::may_open(const Address& address) {
  if (!parts_.policy.proxy.empty()) return true;  // The operator's proxy, wherever it is.
  return may_connect(address, parts_.policy.allow_private) ||
         fail(address_refused(parts_.url, classify(address)));
}

bool Transfer::may_use(std::string_view address) {
  if (!parts_.policy.proxy.empty()) {
    is_connected_ = true;
    return true;
  }
  const std::optional<Address> parsed = Address::parse(address);
  if (!parsed) return fail(address_refused(parts_.url, AddressKind::kReserved));
  if (!may_open(*parsed)) return false;
  failure_.reset();  // Of another address of the same name.
  is_connected_ = true;
  last_activity_ = parts_.clock.now();
  return true;
}

}  // namespace sluice::fetch

#include "sluice/fetch/download.h"

#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace sluice::fetch {

namespace {

// "bytes 100-199/500" → 100.
std::optional<std::uint64_t> first_byte(const Headers& headers) {
  constexpr std::string_view kUnit = "bytes ";
  const std::string* range = find_header(headers, "content-range");
  if (range == nullptr || !range->starts_with(kUnit)) return std::nullopt;
  const char* begin = range->data() + kUnit.size();
  std::uint64_t number = 0;
  const auto parsed = std::from_chars(begin, range->data() + range->size(), number);
  if (parsed.ec != std::errc{} || parsed.ptr == range->data() + range->size() || *parsed.ptr != '-')
    return std::nullopt;
  return number;
}

// What proves that a later answer is of the same bytes. A weak tag proves less.
std::string validator_of(const Headers& headers) {
  const std::string* tag = find_header(headers, "etag");
  if (tag != nullptr && tag->starts_with('"')) return *tag;
  const std::string* date = find_header(headers, "last-modified");
  return date == nullptr ? std::string() : *date;
}

class DownloadSink final : public Sink {
 public:
  DownloadSink(DownloadTarget& target, std::uint64_t bytes_max) : target_(target), bytes_max_(bytes_max) {}

  // The request that gets what is missing.
  Request next(const Request& request) {
    Request out = request;
    out.decompress = false;
    is_partial_ = done_.bytes > 0 && !validator_.empty();
    if (is_partial_) {
      out.headers.emplace_back("Range", fmt::format("bytes={}-", done_.bytes));
      out.headers.emplace_back("If-Range", validator_);
    }
    return out;
  }

  Status begin(const Head& head) override {
    done_.head = head;
    takes_ = head.status >= 200 && head.status <= 299;
    if (!takes_) return {};
    if (is_partial_ && head.status == 206 && first_byte(head.headers) == done_.bytes) {
      ++done_.resumed;
      return {};
    }
    if (head.status == 206)
      return unavailable("a part of the answer that was not asked for").with_code("answer_broken");
    validator_ = validator_of(head.headers);
    return restart();
  }

  Result<Flow> write(std::string_view piece) override {
    if (!takes_) return Flow::kMore;
    if (piece.size() > bytes_max_ - done_.bytes)
      return limit_reached("bytes in a download", bytes_max_).with_code("answer_too_large");
    SLUICE_CHECK(target_.append(piece));
    done_.bytes += piece.size();
    return Flow::kMore;
  }

  // After an answer that does not help to go on.
  void forget() { validator_.clear(); }
  const Downloaded& done() const { return done_; }

 private:
  Status restart() {
    if (done_.bytes == 0) return {};
    done_.bytes = 0;
    return target_.restart();
  }

  DownloadTarget& target_;
  const std::uint64_t bytes_max_;
  Downloaded done_;
  std::string validator_;
  bool is_partial_ = false;
  bool takes_ = false;
};

}  // namespace

Result<Downloaded> download(Client& client, const Request& request, DownloadTarget& target,
                            const RetryRules& rules, const RetryTools& tools) {
  DownloadSink sink(target, request.limits.bytes_max);
  const auto send = [&](const Request& whole) -> Result<Response> {
    SLUICE_CHECK(client.stream(sink.next(whole), sink));
    if (sink.done().head.status == 416) {  // There is no such part of it any more.
      sink.forget();
      return unavailable("the rest of a download is gone").with_code("answer_broken");
    }
    return Response{.head = sink.done().head, .body = {}};
  };
  SLUICE_TRY(const Response response, send_with_retries(send, request, rules, tools));
  Downloaded done = sink.done();
  done.head = response.head;
  return done;
}

}  // namespace sluice::fetch

#include "words.h"

#include <algorithm>

#include "sluice/base/clock.h"
#include "sluice/base/text.h"
#include "sluice/base/uri.h"
#include "sluice/text/utf8_converter.h"

#include "repository.h"

namespace sluice::git {

namespace {

constexpr std::int64_t kSecondsMax = 9'000'000'000;  // The year 2255; the clock's own end is soon after.
constexpr std::size_t kLineBytesMax = 500;

}  // namespace

std::string short_id(const git_oid& id) { return to_hex(id).substr(0, kShortIdDigits); }

std::string to_utf8(std::string_view bytes, std::string_view encoding) {
  if (is_valid_utf8(bytes)) return std::string(bytes);
  Result<text::Utf8Converter> converter =
      text::Utf8Converter::open(encoding.empty() ? std::string("UTF-8") : std::string(encoding));
  if (!converter.ok()) converter = text::Utf8Converter::open("UTF-8");
  std::string out;
  if (converter.ok()) converter->convert(bytes, text::Utf8Converter::Piece::kLast, out);
  return out;
}

std::string one_line(std::string_view bytes, std::string_view encoding) {
  std::string text = to_utf8(bytes, encoding);
  if (text.size() > kLineBytesMax) text = excerpt(text, kLineBytesMax);
  return encode_controls(text);
}

std::string shown_name(std::string_view bytes) {
  return is_valid_utf8(bytes) ? encode_controls(bytes) : percent_encode(bytes);
}

std::string iso_time(std::int64_t seconds) {
  const std::chrono::seconds since(std::clamp<std::int64_t>(seconds, -kSecondsMax, kSecondsMax));
  std::string out = format_utc(WallTime(since));
  // Commits have whole seconds.
  const std::size_t dot = out.rfind('.');
  return dot == std::string::npos ? out : out.substr(0, dot) + "Z";
}

Person person_of(const git_signature* signature, std::string_view encoding) {
  if (signature == nullptr) return {};
  return {.name = one_line(signature->name, encoding),
          .email = one_line(signature->email, encoding),
          .time = iso_time(signature->when.time)};
}

}  // namespace sluice::git

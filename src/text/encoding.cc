#include "sluice/text/encoding.h"

#include <algorithm>
#include <array>
#include <memory>

#include <unicode/ucsdet.h>

#include "sluice/base/limits.h"
#include "sluice/base/text.h"
#include "sluice/text/utf8_converter.h"

namespace sluice::text {
namespace {

constexpr std::size_t kDetectBytesMax = 64 * 1024;
constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";
constexpr std::string_view kUtf16LeMark = "\xFF\xFE";
constexpr std::string_view kUtf16BeMark = "\xFE\xFF";

struct CloseDetector {
  void operator()(UCharsetDetector* detector) const { ucsdet_close(detector); }
};
using Detector = std::unique_ptr<UCharsetDetector, CloseDetector>;

// The beginning that detection looks at, cut where a character of UTF-8 begins.
std::string_view sample_of(std::string_view bytes) {
  if (bytes.size() <= kDetectBytesMax) return bytes;
  std::size_t size = kDetectBytesMax;
  while (size > kDetectBytesMax - 4 && (static_cast<unsigned char>(bytes[size]) & 0xC0U) == 0x80) --size;
  return bytes.substr(0, size);
}

// UTF-16 without a mark, as spreadsheets write it: every second byte of the Latin part is zero.
Encoding unmarked_utf16(std::string_view sample) {
  if (sample.find('\0') == std::string_view::npos) return {};
  std::array<std::size_t, 2> zeros{};
  for (std::size_t i = 0; i < sample.size(); ++i) zeros[i % 2] += sample[i] == '\0' ? 1U : 0U;
  const std::size_t pairs = sample.size() / 2;
  if (pairs >= 2 && zeros[1] * 4 >= pairs && zeros[0] * 16 <= zeros[1])
    return {.charset = "UTF-16LE", .confidence = 0.9};
  if (pairs >= 2 && zeros[0] * 4 >= pairs && zeros[1] * 16 <= zeros[0])
    return {.charset = "UTF-16BE", .confidence = 0.9};
  return {};
}

// Mainframe encodings, which short texts are mistaken for; and ICU cannot convert from what it calls
// "IBM424_rtl".
bool is_ebcdic(std::string_view charset) { return charset.starts_with("IBM42"); }

}  // namespace

Encoding detect_encoding(std::string_view bytes) {
  if (bytes.starts_with(kUtf8Mark)) return {.charset = "UTF-8", .confidence = 1};
  if (bytes.starts_with(kUtf16LeMark)) return {.charset = "UTF-16LE", .confidence = 1};
  if (bytes.starts_with(kUtf16BeMark)) return {.charset = "UTF-16BE", .confidence = 1};
  const std::string_view sample = sample_of(bytes);
  if (Encoding utf16 = unmarked_utf16(sample); utf16.confidence > 0) return utf16;
  if (is_valid_utf8(sample)) return {.charset = "UTF-8", .confidence = 1};
  const std::vector<Encoding> candidates = encoding_candidates(sample);
  return candidates.empty() ? Encoding{.charset = "ISO-8859-1", .confidence = 0} : candidates.front();
}

std::vector<Encoding> encoding_candidates(std::string_view bytes) {
  const std::string_view sample = sample_of(bytes);
  std::vector<Encoding> out;
  UErrorCode status = U_ZERO_ERROR;
  const Detector detector(ucsdet_open(&status));
  if (U_FAILURE(status)) return out;
  ucsdet_setText(detector.get(), sample.data(), static_cast<std::int32_t>(sample.size()), &status);
  std::int32_t count = 0;
  const UCharsetMatch** matches = ucsdet_detectAll(detector.get(), &count, &status);  // The likeliest first.
  for (std::int32_t i = 0; U_SUCCESS(status) && i < count; ++i) {
    const std::string_view name = ucsdet_getName(matches[i], &status);
    const std::int32_t confidence = ucsdet_getConfidence(matches[i], &status);
    if (U_SUCCESS(status) && !is_ebcdic(name))
      out.push_back({.charset = std::string(name), .confidence = std::clamp(confidence, 0, 99) / 100.0});
  }
  return out;
}

Result<std::string> to_utf8(std::string_view bytes, std::string_view charset) {
  SLUICE_TRY(Utf8Converter converter, Utf8Converter::open(charset));
  std::string result;
  converter.convert(bytes, Utf8Converter::Piece::kLast, result);
  return result;
}

}  // namespace sluice::text

#include "sluice/text/encoding.h"

#include <algorithm>
#include <array>
#include <memory>

#include <unicode/ucnv.h>
#include <unicode/ucsdet.h>

#include "sluice/base/limits.h"
#include "sluice/base/text.h"

namespace sluice::text {
namespace {

constexpr std::size_t kDetectBytesMax = 64 * 1024;
constexpr std::size_t kCharsetBytesMax = 64;
constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";
constexpr std::string_view kUtf16LeMark = "\xFF\xFE";
constexpr std::string_view kUtf16BeMark = "\xFE\xFF";

struct CloseDetector {
  void operator()(UCharsetDetector* detector) const { ucsdet_close(detector); }
};
struct CloseConverter {
  void operator()(UConverter* converter) const { ucnv_close(converter); }
};
using Detector = std::unique_ptr<UCharsetDetector, CloseDetector>;
using Converter = std::unique_ptr<UConverter, CloseConverter>;

// The beginning that detection looks at, cut where a character of UTF-8 begins.
std::string_view sample_of(std::string_view bytes) {
  if (bytes.size() <= kDetectBytesMax) return bytes;
  std::size_t size = kDetectBytesMax;
  while (size > kDetectBytesMax - 4 && (static_cast<unsigned char>(bytes[size]) & 0xC0U) == 0x80) --size;
  return bytes.substr(0, size);
}

// UTF-16 without a mark, as spreadsheets write it: every second byte of the Latin part is zero.
Encoding unmarked_utf16(std::string_view sample) {
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

Encoding by_statistics(std::string_view sample) {
  Encoding unknown{.charset = "ISO-8859-1", .confidence = 0};
  UErrorCode status = U_ZERO_ERROR;
  const Detector detector(ucsdet_open(&status));
  if (U_FAILURE(status)) return unknown;
  ucsdet_setText(detector.get(), sample.data(), static_cast<std::int32_t>(sample.size()), &status);
  std::int32_t count = 0;
  const UCharsetMatch** matches = ucsdet_detectAll(detector.get(), &count, &status);  // The likeliest first.
  for (std::int32_t i = 0; U_SUCCESS(status) && i < count; ++i) {
    const std::string_view name = ucsdet_getName(matches[i], &status);
    const std::int32_t confidence = ucsdet_getConfidence(matches[i], &status);
    if (U_SUCCESS(status) && !is_ebcdic(name))
      return {.charset = std::string(name), .confidence = std::clamp(confidence, 0, 99) / 100.0};
  }
  return unknown;
}

std::string_view without_mark(std::string_view bytes) {
  for (const std::string_view mark : {kUtf8Mark, kUtf16LeMark, kUtf16BeMark})
    if (bytes.starts_with(mark)) return bytes.substr(mark.size());
  return bytes;
}

Result<Converter> open_converter(std::string_view charset) {
  const auto unknown = [&] {
    return invalid_input("convert from charset: " + excerpt(charset))
        .with_code("unknown_charset")
        .with_hint("use an IANA name such as UTF-8, UTF-16LE, windows-1251 or ISO-8859-1");
  };
  const std::string name(charset);
  // ICU takes an empty name for the default of the machine, and a comma for options.
  const bool is_plain = name.find_first_of(std::string_view(",\0", 2)) == std::string::npos;
  if (name.empty() || name.size() > kCharsetBytesMax || !is_plain) return unknown();
  UErrorCode status = U_ZERO_ERROR;
  Converter converter(ucnv_open(name.c_str(), &status));
  if (U_FAILURE(status)) return unknown();
  return converter;
}

}  // namespace

Encoding detect_encoding(std::string_view bytes) {
  if (bytes.starts_with(kUtf8Mark)) return {.charset = "UTF-8", .confidence = 1};
  if (bytes.starts_with(kUtf16LeMark)) return {.charset = "UTF-16LE", .confidence = 1};
  if (bytes.starts_with(kUtf16BeMark)) return {.charset = "UTF-16BE", .confidence = 1};
  const std::string_view sample = sample_of(bytes);
  if (Encoding utf16 = unmarked_utf16(sample); utf16.confidence > 0) return utf16;
  if (is_valid_utf8(sample)) return {.charset = "UTF-8", .confidence = 1};
  return by_statistics(sample);
}

Result<std::string> to_utf8(std::string_view bytes, std::string_view charset) {
  SLUICE_TRY(const Converter from, open_converter(charset));
  SLUICE_TRY(const Converter to, open_converter("UTF-8"));
  const UConverterType type = ucnv_getType(from.get());
  const bool may_be_marked =
      type == UCNV_UTF8 || type == UCNV_UTF16_LittleEndian || type == UCNV_UTF16_BigEndian;
  const std::string_view body = may_be_marked ? without_mark(bytes) : bytes;
  std::string result;
  std::array<char, 16 * 1024> chunk{};
  std::array<UChar, 4 * 1024> pivot{};
  UChar* pivot_source = pivot.data();
  UChar* pivot_target = pivot.data();
  const char* source = body.data();
  const char* const source_end = body.data() + body.size();
  UErrorCode status = U_BUFFER_OVERFLOW_ERROR;
  for (bool first = true; status == U_BUFFER_OVERFLOW_ERROR; first = false) {  // Each round writes a chunk.
    status = U_ZERO_ERROR;
    char* target = chunk.data();
    ucnv_convertEx(to.get(), from.get(), &target, chunk.data() + chunk.size(), &source, source_end,
                   pivot.data(), &pivot_source, &pivot_target, pivot.data() + pivot.size(), first ? 1 : 0, 1,
                   &status);
    result.append(chunk.data(), target);
  }
  if (U_FAILURE(status)) return invalid_input("convert to UTF-8 from charset: " + excerpt(charset));
  return result;
}

}  // namespace sluice::text

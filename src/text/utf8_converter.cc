#include "sluice/text/utf8_converter.h"

#include <array>
#include <utility>

#include <unicode/ucnv.h>

#include "sluice/base/text.h"

#include "armscii.h"
#include "utf8.h"

namespace sluice::text {

// Not in the unnamed namespace, as Utf8Converter::Impl has members of a type with it.
struct CloseIcuConverter {
  void operator()(UConverter* converter) const { ucnv_close(converter); }
};

namespace {

constexpr std::size_t kCharsetBytesMax = 64;
constexpr std::string_view kMark = "\xEF\xBB\xBF";

using Converter = std::unique_ptr<UConverter, CloseIcuConverter>;

Error unknown_charset(std::string_view charset) {
  return invalid_input("convert from charset: " + excerpt(charset))
      .with_code("unknown_charset")
      .with_hint("use an IANA name such as UTF-8, UTF-16LE, windows-1251 or ISO-8859-1");
}

Result<Converter> open_converter(std::string_view charset) {
  const std::string name(charset);
  // ICU takes an empty name for the default of the machine, and a comma for options.
  const bool is_plain = name.find_first_of(std::string_view(",\0", 2)) == std::string::npos;
  if (name.empty() || name.size() > kCharsetBytesMax || !is_plain) return unknown_charset(charset);
  UErrorCode status = U_ZERO_ERROR;
  Converter converter(ucnv_open(name.c_str(), &status));
  if (U_FAILURE(status)) return unknown_charset(charset);
  return converter;
}

bool is_armscii(std::string_view charset) {
  return equal_ignoring_case(charset, "ARMSCII-8") || equal_ignoring_case(charset, "ARMSCII8");
}

}  // namespace

class Utf8Converter::Impl {
 public:
  Impl() = default;  // ARMSCII-8.
  Impl(Converter from, Converter to) : from_(std::move(from)), to_(std::move(to)) {}

  void convert(std::string_view bytes, Piece piece, std::string& out) {
    const std::size_t begin = out.size();
    if (from_) {
      by_icu(bytes, piece, out);
    } else {
      std::array<char, 4> character{};
      for (const char c : bytes)
        out.append(character.data(), encode(from_armscii(static_cast<unsigned char>(c)), character.data()));
    }
    // The mark of any Unicode encoding is the same character, which takes three bytes here.
    if (is_beginning_ && out.size() > begin) {
      is_beginning_ = false;
      if (std::string_view(out).substr(begin).starts_with(kMark)) out.erase(begin, kMark.size());
    }
  }

 private:
  void by_icu(std::string_view bytes, Piece piece, std::string& out) {
    std::array<char, 16 * 1024> chunk{};
    const char* source = bytes.data();
    const char* const source_end = bytes.data() + bytes.size();
    UErrorCode status = U_BUFFER_OVERFLOW_ERROR;
    while (status == U_BUFFER_OVERFLOW_ERROR) {  // Each round writes a chunk.
      status = U_ZERO_ERROR;
      char* target = chunk.data();
      ucnv_convertEx(to_.get(), from_.get(), &target, chunk.data() + chunk.size(), &source, source_end,
                     pivot_.data(), &pivot_source_, &pivot_target_, pivot_.data() + pivot_.size(),
                     std::exchange(is_reset_, false) ? 1 : 0, piece == Piece::kLast ? 1 : 0, &status);
      out.append(chunk.data(), target);
    }
  }

  Converter from_;
  Converter to_;
  std::array<UChar, 4 * 1024> pivot_{};
  UChar* pivot_source_ = pivot_.data();
  UChar* pivot_target_ = pivot_.data();
  bool is_reset_ = true;
  bool is_beginning_ = true;
};

Utf8Converter::Utf8Converter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Utf8Converter::Utf8Converter(Utf8Converter&&) noexcept = default;
Utf8Converter& Utf8Converter::operator=(Utf8Converter&&) noexcept = default;
Utf8Converter::~Utf8Converter() = default;

Result<Utf8Converter> Utf8Converter::open(std::string_view charset) {
  if (is_armscii(charset)) return Utf8Converter(std::make_unique<Impl>());
  SLUICE_TRY(Converter from, open_converter(charset));
  SLUICE_TRY(Converter to, open_converter("UTF-8"));
  return Utf8Converter(std::make_unique<Impl>(std::move(from), std::move(to)));
}

void Utf8Converter::convert(std::string_view bytes, Piece piece, std::string& out) {
  impl_->convert(bytes, piece, out);
}

}  // namespace sluice::text

#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "sluice/base/result.h"

namespace sluice::text {

// Makes UTF-8 of text in another encoding, piece by piece. One thread at a time.
class Utf8Converter {
 public:
  // Fails with the code "unknown_charset" where nobody knows the name. ARMSCII-8 is known, and what ICU
  // knows.
  static Result<Utf8Converter> open(std::string_view charset);
  Utf8Converter(Utf8Converter&&) noexcept;
  Utf8Converter& operator=(Utf8Converter&&) noexcept;
  ~Utf8Converter();

  // Appends the UTF-8 of the next bytes. A character may begin in one piece and end in the next. A byte order
  // mark at the very beginning is left out. What has no meaning becomes U+FFFD.
  enum class Piece { kMore, kLast };
  void convert(std::string_view bytes, Piece piece, std::string& out);

 private:
  class Impl;
  explicit Utf8Converter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace sluice::text

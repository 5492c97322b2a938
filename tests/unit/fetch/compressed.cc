#include "compressed.h"

#include <cstdint>

namespace sluice::fetch::testing {

namespace {

constexpr std::string_view kGzipHead("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03", 10);

std::uint32_t crc32(std::string_view text) {
  std::uint32_t crc = 0xFFFFFFFFU;
  for (const char c : text) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0U);
  }
  return ~crc;
}

void append_number(std::string& out, std::uint32_t number, int bytes) {
  for (int i = 0; i < bytes; ++i)
    out += static_cast<char>((number >> (8U * static_cast<unsigned>(i))) & 0xFFU);
}

// Bits as deflate packs them: the first is the lowest of a byte.
class Bits {
 public:
  void put(std::string_view bits) {
    for (const char bit : bits) {
      if (bit == '1') byte_ |= 1U << count_;
      if (++count_ < 8) continue;
      out_ += static_cast<char>(byte_);
      byte_ = 0;
      count_ = 0;
    }
  }
  const std::string& whole_bytes() const { return out_; }

 private:
  std::string out_;
  unsigned byte_ = 0;
  unsigned count_ = 0;
};

}  // namespace

std::string gzip_of(std::string_view text) {
  std::string out(kGzipHead);
  out += '\x01';  // The last block, stored.
  append_number(out, static_cast<std::uint32_t>(text.size()), 2);
  append_number(out, ~static_cast<std::uint32_t>(text.size()), 2);
  out += text;
  append_number(out, crc32(text), 4);
  append_number(out, static_cast<std::uint32_t>(text.size()), 4);
  return out;
}

std::string brotli_of(std::string_view text) {
  std::string out;
  // A window of 64 KiB, a block that is not the last, its length less one in 16 bits, and not compressed.
  append_number(out, (static_cast<std::uint32_t>(text.size() - 1) << 4U) | (1U << 20U), 3);
  out += text;
  return out + '\x03';  // An empty last block.
}

std::string gzip_bomb(std::size_t bytes) {
  Bits bits;
  bits.put("010");       // A block with fixed codes, not the last: bits of the type, low first.
  bits.put("00110000");  // A zero.
  for (std::size_t made = 0; made < bytes; made += 258)
    bits.put("1100010100000");  // 258 times the last byte.
  return std::string(kGzipHead) + bits.whole_bytes();
}

}  // namespace sluice::fetch::testing

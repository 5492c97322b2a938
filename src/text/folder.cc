#include "folder.h"

#include <algorithm>
#include <array>
#include <utility>

#include "fold_table.h"
#include "utf8.h"

namespace sluice::text {
namespace {

constexpr std::size_t kPointBytesMax = 5;  // A code point and the space before it.
constexpr char32_t kArmenianYech = U'ե';
constexpr char32_t kArmenianVew = U'վ';
constexpr char32_t kArmenianYiwn = U'ւ';

// 0 separates words.
constexpr std::array<char, 128> kAscii = [] {
  std::array<char, 128> table{};
  for (std::size_t c = '0'; c <= '9'; ++c) table[c] = static_cast<char>(c);
  for (std::size_t c = 'a'; c <= 'z'; ++c) {
    table[c] = static_cast<char>(c);
    table[c - 'a' + 'A'] = static_cast<char>(c);
  }
  return table;
}();

}  // namespace

void Folder::clear() {
  size_ = 0;
  last_ = 0;
  separated_ = false;
}

std::string Folder::take() {
  buffer_.resize(size_);
  std::string result = std::move(buffer_);
  buffer_.clear();
  clear();
  return result;
}

void Folder::reserve(std::size_t bytes) {
  if (buffer_.size() - size_ < bytes) buffer_.resize(std::max(buffer_.size() * 2, size_ + bytes));
}

void Folder::emit(char32_t point) {
  if (separated_) {
    if (size_ > 0) buffer_[size_++] = ' ';
    separated_ = false;
    last_ = 0;
  }
  if (point == kArmenianVew && last_ == kArmenianYech) point = kArmenianYiwn;
  size_ += encode(point, buffer_.data() + size_);
  last_ = point;
}

// Replaces the last letter by what it and `mark` are together.
bool Folder::combine(char32_t mark) {
  if (separated_ || last_ == 0) return false;
  const char32_t composed = compose(last_, mark);
  if (composed == 0) return false;
  const Fold fold = fold_page(composed).folds[composed % 256];
  if (fold.kind != FoldKind::kKeep) return false;
  std::array<char, 4> bytes{};
  size_ -= encode(last_, bytes.data());
  emit(fold.point);
  return true;
}

void Folder::append(char32_t point) {
  reserve(2 * kPointBytesMax);
  const FoldPage& page = fold_page(point);
  const Fold fold = page.folds[point % 256];
  if (fold.joins != 0 && combine(fold.point)) return;
  switch (fold.kind) {
    case FoldKind::kKeep:
      emit(fold.point);
      return;
    case FoldKind::kDrop:
      return;
    case FoldKind::kSeparator:
      separate();
      return;
    case FoldKind::kExpand:
      break;
  }
  const std::u32string& expansion = page.expansions[fold.point];
  reserve(expansion.size() * kPointBytesMax);
  for (const char32_t part : expansion) part == 0 ? separate() : emit(part);
}

// Every byte of ASCII makes one byte at most; the space before a word stands for a separator that was read.
std::size_t Folder::append_ascii(std::string_view utf8, std::size_t at) {
  reserve(utf8.size() - at + kPointBytesMax);
  char* const begin = buffer_.data();
  char* out = begin + size_;
  bool separated = separated_;
  for (; at < utf8.size(); ++at) {
    const auto byte = static_cast<unsigned char>(utf8[at]);
    if (byte >= 0x80) break;
    const char folded = kAscii[byte];
    if (folded == 0) {
      separated = true;
      continue;
    }
    if (separated && out != begin) *out++ = ' ';
    separated = false;
    *out++ = folded;
  }
  const auto written = static_cast<std::size_t>(out - begin);
  if (written > size_) last_ = static_cast<unsigned char>(out[-1]);
  size_ = written;
  separated_ = separated;
  return at;
}

void Folder::append(std::string_view utf8) {
  std::size_t at = 0;
  while (at < utf8.size()) {
    if (static_cast<unsigned char>(utf8[at]) < 0x80)
      at = append_ascii(utf8, at);
    else
      append(decode(utf8, at));
  }
}

}  // namespace sluice::text

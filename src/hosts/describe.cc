#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/hosts/setup.h"

namespace sluice::hosts {

namespace {

constexpr std::size_t kContextLines = 2;
constexpr std::size_t kLineBytesMax = 300;
constexpr std::size_t kBytesBeforeDifference = 60;
constexpr std::size_t kLinesShownMax = 200;

std::vector<std::string_view> lines_of_text(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    lines.push_back(text.substr(0, newline));
    text = newline == std::string_view::npos ? std::string_view() : text.substr(newline + 1);
  }
  return lines;
}

std::size_t equal_bytes(std::string_view a, std::string_view b) {
  const std::size_t size = std::min(a.size(), b.size());
  return static_cast<std::size_t>(
      std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(size), b.begin()).first - a.begin());
}

// The line, or of a long one what differs from `other` and some bytes around it.
std::string shown_line(std::string_view line, std::string_view other) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  std::string shown;
  if (line.size() > kLineBytesMax) {
    std::size_t begin = equal_bytes(line, other);
    begin = begin > kBytesBeforeDifference ? begin - kBytesBeforeDifference : 0;
    while (begin > 0 && (static_cast<unsigned char>(line[begin]) & 0xC0U) == 0x80U) --begin;
    if (begin > 0) shown = "…";
    line = line.substr(begin);
  }
  std::string text(line);
  std::replace(text.begin(), text.end(), '\t', ' ');
  return shown + excerpt(text, kLineBytesMax);
}

}  // namespace

std::string describe(const FileChange& change) {
  const std::vector<std::string_view> before =
      lines_of_text(change.before ? *change.before : std::string_view());
  const std::vector<std::string_view> after =
      lines_of_text(change.after ? *change.after : std::string_view());
  const std::size_t shorter = std::min(before.size(), after.size());
  std::size_t head = 0;
  while (head < shorter && before[head] == after[head]) ++head;
  std::size_t tail = 0;
  while (tail < shorter - head && before[before.size() - 1 - tail] == after[after.size() - 1 - tail]) ++tail;

  std::string text = fmt::format("--- {}\n+++ {}\n", change.before ? excerpt(change.path, 300) : "/dev/null",
                                 change.after ? excerpt(change.path, 300) : "/dev/null");
  if (change.real_path != change.path && change.before)
    text += fmt::format("    (a link to {})\n", excerpt(change.real_path, 300));
  const std::size_t begin = head > kContextLines ? head - kContextLines : 0;
  const std::size_t context = std::min(tail, kContextLines);
  text += fmt::format("@@ -{},{} +{},{} @@\n", begin + 1, before.size() - tail + context - begin, begin + 1,
                      after.size() - tail + context - begin);
  for (std::size_t i = begin; i < head; ++i) text += " " + shown_line(before[i], "") + "\n";
  const auto add = [&](char mark, const std::vector<std::string_view>& lines,
                       const std::vector<std::string_view>& others) {
    const std::size_t end = lines.size() - tail;
    for (std::size_t i = head; i < end; ++i) {
      if (i - head == kLinesShownMax) {
        text += fmt::format("{}… {} more lines\n", mark, end - i);
        break;
      }
      text += mark + shown_line(lines[i], i < others.size() ? others[i] : std::string_view()) + "\n";
    }
  };
  add('-', before, after);
  add('+', after, before);
  for (std::size_t i = after.size() - tail; i < after.size() - tail + context; ++i)
    text += " " + shown_line(after[i], "") + "\n";
  return text;
}

}  // namespace sluice::hosts

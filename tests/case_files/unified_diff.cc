#include "unified_diff.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace sluice::case_files {

namespace {

constexpr std::size_t kLinesMax = 4'000;
constexpr std::size_t kAround = 3;

struct Edit {
  char kind;  // ' ', '-' or '+'.
  std::string_view line;
};

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty() && lines.size() < kLinesMax) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// The shortest way from one to the other, by the longest common subsequence.
std::vector<Edit> edits_of(const std::vector<std::string_view>& from,
                           const std::vector<std::string_view>& to) {
  const std::size_t width = to.size() + 1;
  std::vector<std::uint16_t> common((from.size() + 1) * width, 0);
  for (std::size_t i = from.size(); i-- > 0;) {
    for (std::size_t k = to.size(); k-- > 0;) {
      common[i * width + k] = from[i] == to[k]
                                  ? static_cast<std::uint16_t>(common[(i + 1) * width + k + 1] + 1)
                                  : std::max(common[(i + 1) * width + k], common[i * width + k + 1]);
    }
  }
  std::vector<Edit> edits;
  std::size_t i = 0;
  std::size_t k = 0;
  while (i < from.size() || k < to.size()) {
    if (i < from.size() && k < to.size() && from[i] == to[k]) {
      edits.push_back({' ', from[i++]});
      ++k;
    } else if (k == to.size() ||
               (i < from.size() && common[(i + 1) * width + k] >= common[i * width + k + 1])) {
      edits.push_back({'-', from[i++]});
    } else {
      edits.push_back({'+', to[k++]});
    }
  }
  return edits;
}

std::string range_of(std::size_t first, std::size_t count) {
  return std::to_string(count == 0 ? first : first + 1) + "," + std::to_string(count);
}

void write_indented(const json::Value& value, std::size_t depth, std::string& out) {
  const std::string margin(2 * depth + 2, ' ');
  if (const json::Object* object = value.if_object(); object != nullptr && !object->empty()) {
    out += "{\n";
    std::size_t written = 0;
    for (const json::Member& member : *object) {
      out += margin + json::to_text(json::Value(member.key)) + ": ";
      write_indented(member.value, depth + 1, out);
      out += ++written < object->size() ? ",\n" : "\n";
    }
    out += std::string(2 * depth, ' ') + "}";
  } else if (const json::Array* array = value.if_array(); array != nullptr && !array->empty()) {
    out += "[\n";
    for (std::size_t i = 0; i < array->size(); ++i) {
      out += margin;
      write_indented((*array)[i], depth + 1, out);
      out += i + 1 < array->size() ? ",\n" : "\n";
    }
    out += std::string(2 * depth, ' ') + "]";
  } else {
    out += json::to_text(value);
  }
}

}  // namespace

std::string unified_diff(std::string_view expected, std::string_view actual) {
  const std::vector<Edit> edits = edits_of(lines_of(expected), lines_of(actual));
  std::string out;
  std::size_t before = 0;  // Lines of each text ahead of edit `at`.
  std::size_t after = 0;
  for (std::size_t at = 0; at < edits.size();) {
    std::size_t next = at;
    while (next < edits.size() && edits[next].kind == ' ') ++next;
    if (next == edits.size()) break;
    const std::size_t begin = std::max(at, next - std::min(next, kAround));
    before += begin - at;
    after += begin - at;
    std::size_t end = next;
    for (std::size_t equal = 0; end < edits.size() && equal <= 2 * kAround; ++end)
      equal = edits[end].kind == ' ' ? equal + 1 : 0;
    while (end > next && edits[end - 1].kind == ' ' && end - next > kAround &&
           std::all_of(edits.begin() + static_cast<std::ptrdiff_t>(end - kAround - 1),
                       edits.begin() + static_cast<std::ptrdiff_t>(end),
                       [](const Edit& e) { return e.kind == ' '; }))
      --end;
    std::size_t removed = 0;
    std::size_t added = 0;
    std::string body;
    for (std::size_t i = begin; i < end; ++i) {
      removed += edits[i].kind == '+' ? 0U : 1U;
      added += edits[i].kind == '-' ? 0U : 1U;
      (body += edits[i].kind).append(edits[i].line).append("\n");
    }
    if (out.empty()) out = "--- expected\n+++ answered\n";
    out += "@@ -" + range_of(before, removed) + " +" + range_of(after, added) + " @@\n" + body;
    before += removed;
    after += added;
    at = end;
  }
  return out;
}

std::string indented(const json::Value& value) {
  if (const std::string* text = value.if_string()) return *text;
  std::string out;
  write_indented(value, 0, out);
  return out + "\n";
}

}  // namespace sluice::case_files

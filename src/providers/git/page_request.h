#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace sluice::git {

enum class Form : std::uint8_t { kText, kJson };

// Which part of a list is wanted. Text is rendered from its beginning, at least up to `text_bytes`, and the
// caller picks a range of bytes from it. JSON begins with the entry of that number and ends at the bounds.
struct PageRequest {
  Form form = Form::kText;
  std::uint64_t text_bytes = 0;
  std::size_t first = 0;
  std::size_t entries_max = 1'000;
  std::size_t json_bytes_max = SIZE_MAX;  // At least one entry is written.

  bool is_json() const { return form == Form::kJson; }
  // Whether a page that began with `first` and has `written` bytes ends before the entry `at`.
  bool ends_before(std::size_t at, std::size_t written) const {
    if (form == Form::kText) return written >= text_bytes;
    return at - first >= entries_max || (at > first && written >= json_bytes_max);
  }
};

struct RenderedPage {
  std::string text;
  bool is_beginning = false;        // Text: there is more of it.
  std::optional<std::size_t> next;  // JSON: the entry with which the next page begins.
};

}  // namespace sluice::git

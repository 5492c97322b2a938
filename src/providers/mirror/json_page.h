#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/json/value.h"

namespace sluice::mirror {

// A JSON document with a list of rows in it, which is shown in pages that are valid JSON themselves. The rows
// are the document itself if it is an array, else the largest array in its objects.
class JsonPage {
 public:
  // Nothing where the text is no JSON, or has no array with an element.
  static std::optional<JsonPage> parse(std::string_view text);

  std::size_t rows() const { return rows_.size(); }
  std::string row(std::size_t at) const { return json::to_text(rows_[at]); }
  // The document without rows, as a JSON string.
  std::size_t frame_bytes() const;

  struct Shown {
    std::string text;
    std::size_t end = 0;  // The row behind the last that is in the text.
  };
  // The document with as many rows from `first` on as fit into `room` bytes of a JSON string, maybe none.
  // Counts of its rows are those of the page, and what the document says of its continuation is null where
  // the page ends before its last row.
  Shown show(std::size_t first, std::size_t room) const;

 private:
  explicit JsonPage(json::Value document) : document_(std::move(document)) {}
  std::string with_rows(std::size_t first, std::size_t end) const;

  json::Value document_;           // Without its rows.
  std::vector<std::string> path_;  // The keys that lead to them.
  json::Array rows_;
};

}  // namespace sluice::mirror

#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/json/value.h"

namespace sluice::case_files {

// A place in a JSON document, written `result.tools[0].name`. A key with other characters than letters,
// digits, `_` and
// `-` is quoted: `_meta."example.org/trace"`. `answer` is the whole document; before a further step it may be
// left out.
class JsonPath {
 public:
  static Result<JsonPath> parse(std::string_view text);
  // How much of the beginning of `line` is a path.
  static std::size_t length_in(std::string_view line);

  // Null if the document has no such place.
  const json::Value* find(const json::Value& document) const;
  // The document with `value` at this place; what is missing on the way is created.
  json::Value replace(const json::Value& document, json::Value value) const;

  const std::string& text() const { return text_; }
  bool starts_with(std::string_view key) const;

 private:
  using Step = std::variant<std::string, std::size_t>;

  json::Value replace_from(std::size_t step, const json::Value& document, json::Value value) const;

  std::string text_;
  std::vector<Step> steps_;
};

}  // namespace sluice::case_files

#pragma once

#include <cstdint>
#include <string_view>

#include "sluice/base/result.h"

#include "text_node.h"

namespace sluice::hosts {

// What a host accepts beside JSON.
enum class JsonDialect : std::uint8_t {
  kStrict,        // Nothing.
  kWithComments,  // "//" and "/* */" comments, and a comma after the last member.
};

// Reads an object and where its parts stand. Every value is checked; contents are kept of the member `kept`
// of the object alone. A text of nothing but spaces is not an object.
Result<TextNode> read_json_text(std::string_view text, JsonDialect dialect, std::string_view kept);

// A JSON string in quotes.
std::string json_string(std::string_view text);

}  // namespace sluice::hosts

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"

#include "text_node.h"

namespace sluice::hosts {

// A line of a TOML text that defines something: a header, or a key with its value.
struct TomlStatement {
  std::vector<std::string> path;  // From the root, names of tables in front.
  TextSpan span;                  // Without the comment and the spaces around it.
  bool is_header = false;
};

struct TomlText {
  TextNode root;
  std::vector<TomlStatement> statements;  // Those whose path begins with the key that is kept.
};

// Reads a TOML 1.0 text and where its parts stand.
Result<TomlText> read_toml_text(std::string_view text, std::string_view kept);

// A TOML string in quotes, and a key that is quoted if it has to be.
std::string toml_string(std::string_view text);
std::string toml_key(std::string_view key);

}  // namespace sluice::hosts

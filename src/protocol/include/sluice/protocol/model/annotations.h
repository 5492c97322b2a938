#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sluice::protocol {

enum class Role : std::uint8_t { kUser, kAssistant };

// Hints about who a piece of content is for, and how much it matters.
struct Annotations {
  std::vector<Role> audience;
  std::optional<double> priority;            // 0 to 1.
  std::optional<std::string> last_modified;  // ISO 8601.
};

struct Icon {
  std::string src;  // https: or data:
  std::optional<std::string> mime_type;
  std::vector<std::string> sizes;    // "48x48", "any"
  std::optional<std::string> theme;  // "light" or "dark"
};

// Name and version of a client or server.
struct Implementation {
  std::string name;
  std::string version;
  std::optional<std::string> title;
  std::optional<std::string> description;
  std::optional<std::string> website_url;
  std::vector<Icon> icons;
};

}  // namespace sluice::protocol

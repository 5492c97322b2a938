#pragma once

#include <span>
#include <string_view>

namespace sluice::console {

// A file of the pages, which is part of the program.
struct Asset {
  std::string_view name;  // "console.1a2b3c4d.js"; of the first page "index.html".
  std::string_view type;  // Its Content-Type.
  std::string_view hash;  // Of its content.
  std::string_view plain;
  std::string_view gzip;
};

std::span<const Asset> assets();
// Null: there is none of that name.
const Asset* find_asset(std::string_view name);

}  // namespace sluice::console

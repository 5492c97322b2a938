#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::gateway {

// How names of upstreams are put together: "fs.read_file", or "fs_read_file" for hosts that take no dots.
enum class NameStyle : std::uint8_t { kDotted, kSafe };

// Names that hosts accept for things of several upstreams. The same things get the same names, in whatever
// order they come; of two that would be called the same, one gets a few digits of its digest.
class NameTable {
 public:
  struct Thing {
    std::string name_space;
    std::string name;           // The upstream's own; any text.
    bool is_generated = false;  // Its name is promised: it is given away first.
  };

  NameTable() = default;
  NameTable(std::vector<Thing> things, NameStyle style);

  const std::map<std::string, Thing, std::less<>>& listed() const { return listed_; }
  const Thing* find(std::string_view listed) const;  // Null where there is none.
  // The listed name of what is called `name` in either style. Empty: nothing, or more than one thing.
  std::string listed_name(std::string_view name) const;

 private:
  std::map<std::string, Thing, std::less<>> listed_;
  std::map<std::string, std::string, std::less<>> others_;  // The other spellings; "" where ambiguous.
};

}  // namespace sluice::gateway

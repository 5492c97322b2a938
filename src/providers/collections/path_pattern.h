#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"

namespace sluice::collections {

// A path with names for its variable parts: "{region}/{month}.parquet". Immutable.
class PathPattern {
 public:
  static Result<PathPattern> parse(std::string_view text);

  const std::vector<std::string>& names() const { return names_; }
  std::size_t depth() const { return components_.size(); }  // 2 for the above.
  bool has_ending() const { return has_ending_; }           // Of a file that this program reads.

  // The values of the names, in their order; nothing where the path is not of this form. Where the pattern
  // has no ending, `path` must have none either.
  std::optional<std::vector<std::string>> match(std::string_view path) const;

 private:
  // literals[0] {name} literals[1] {name} literals[2]: one literal more than names, some of them empty.
  struct Component {
    std::vector<std::string> literals;
  };
  Status add_component(std::string_view text);
  static bool match_component(const Component& component, std::string_view text,
                              std::vector<std::string>& values);

  std::vector<Component> components_;
  std::vector<std::string> names_;
  bool has_ending_ = false;
};

}  // namespace sluice::collections

#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace sluice {

// Text with a meaning. The constructor is explicit and the tags never mix; tests/compile_fail keeps it that
// way.
template <typename Tag>
class Id {
 public:
  Id() = default;
  explicit Id(std::string text) : text_(std::move(text)) {}

  const std::string& text() const { return text_; }
  bool empty() const { return text_.empty(); }
  friend auto operator<=>(const Id&, const Id&) = default;

 private:
  std::string text_;
};

using SessionId = Id<struct SessionIdTag>;
using TaskId = Id<struct TaskIdTag>;

}  // namespace sluice

template <typename Tag>
struct std::hash<sluice::Id<Tag>> {
  std::size_t operator()(const sluice::Id<Tag>& id) const noexcept {
    return std::hash<std::string_view>{}(id.text());
  }
};

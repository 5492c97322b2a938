#pragma once

#include <memory>
#include <string_view>

#include "sluice/base/result.h"

namespace sluice::json {

// A regular expression in the syntax of RE2, matched in linear time. Any thread.
class RegularExpression {
 public:
  // Fails with the reason if the pattern is malformed, too long or would take too much memory.
  static Result<RegularExpression> compile(std::string_view pattern);
  RegularExpression(RegularExpression&&) noexcept;
  RegularExpression& operator=(RegularExpression&&) noexcept;
  ~RegularExpression();

  bool matches(std::string_view text) const;  // Anywhere in the text.

 private:
  struct Compiled;
  explicit RegularExpression(std::unique_ptr<const Compiled> compiled);

  std::unique_ptr<const Compiled> compiled_;
};

}  // namespace sluice::json

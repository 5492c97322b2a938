#include "sluice/json/regular_expression.h"

#include <string>
#include <utility>

#include <fmt/format.h>
#include <re2/re2.h>

#include "sluice/base/text.h"

namespace sluice::json {

namespace {

constexpr std::size_t kPatternBytesMax = 4'096;
constexpr std::int64_t kMemoryBytesMax = std::int64_t{8} << 20U;

re2::RE2::Options options() {
  re2::RE2::Options out;
  out.set_max_mem(kMemoryBytesMax);
  out.set_log_errors(false);
  out.set_never_capture(true);
  return out;
}

}  // namespace

struct RegularExpression::Compiled {
  explicit Compiled(std::string_view pattern)
      : regex(re2::StringPiece(pattern.data(), pattern.size()), options()) {}
  re2::RE2 regex;
};

RegularExpression::RegularExpression(std::unique_ptr<const Compiled> compiled)
    : compiled_(std::move(compiled)) {}
RegularExpression::RegularExpression(RegularExpression&&) noexcept = default;
RegularExpression& RegularExpression::operator=(RegularExpression&&) noexcept = default;
RegularExpression::~RegularExpression() = default;

Result<RegularExpression> RegularExpression::compile(std::string_view pattern) {
  if (pattern.size() > kPatternBytesMax) return limit_reached("bytes in a pattern", kPatternBytesMax);
  auto compiled = std::make_unique<const Compiled>(pattern);
  if (!compiled->regex.ok())
    return invalid_input(fmt::format("{}: {}", excerpt(compiled->regex.error()), excerpt(pattern)))
        .with_code("invalid_value");
  return RegularExpression(std::move(compiled));
}

bool RegularExpression::matches(std::string_view text) const {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), compiled_->regex);
}

}  // namespace sluice::json

#include "sluice/guard/claim_pointer.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"

namespace sluice::guard {
namespace {

constexpr std::size_t kPointerStepsMax = 8;
constexpr std::size_t kPointerBytesMax = 512;

std::optional<std::string> unescape(std::string_view step) {
  std::string out;
  for (std::size_t i = 0; i < step.size(); ++i) {
    if (step[i] != '~') {
      out.push_back(step[i]);
      continue;
    }
    ++i;
    if (i == step.size() || (step[i] != '0' && step[i] != '1')) return std::nullopt;
    out.push_back(step[i] == '0' ? '~' : '/');
  }
  return out;
}

}  // namespace

Result<ClaimPointer> ClaimPointer::parse(std::string_view text) {
  const auto refused = [&] {
    return invalid_input(fmt::format("no JSON Pointer to a claim, such as /scope: {}", excerpt(text)))
        .with_code("invalid_pointer");
  };
  if (!text.starts_with('/') || text.size() > kPointerBytesMax) return refused();
  ClaimPointer pointer;
  while (!text.empty()) {
    text.remove_prefix(1);
    const std::size_t end = std::min(text.find('/'), text.size());
    std::optional<std::string> step = unescape(text.substr(0, end));
    if (!step || step->empty() || pointer.steps_.size() == kPointerStepsMax) return refused();
    pointer.steps_.push_back(*std::move(step));
    text.remove_prefix(end);
  }
  return pointer;
}

const json::Value* ClaimPointer::find(const json::Value& claims) const {
  const json::Value* at = &claims;
  for (const std::string& step : steps_) {
    at = at->find(step);
    if (at == nullptr) return nullptr;
  }
  return at;
}

}  // namespace sluice::guard

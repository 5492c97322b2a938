#include "cursor.h"

#include <fmt/format.h>

#include "sluice/base/limits.h"

namespace sluice::catalog {
namespace {

std::string purpose_of(std::string_view list, const Principal& principal) {
  return fmt::format("cursor/{}/{}", list, principal.id);
}

}  // namespace

std::string encode_cursor(const crypto::Signer& signer, std::string_view list, const Principal& principal,
                          std::string_view after) {
  return signer.sign(purpose_of(list, principal), after);
}

Result<std::string> decode_cursor(const crypto::Signer& signer, std::string_view list,
                                  const Principal& principal, std::string_view cursor) {
  std::optional<std::string> after;
  if (cursor.size() <= kCursorBytesMax) after = signer.verify(purpose_of(list, principal), cursor);
  if (!after) {
    return invalid_input("params.cursor: not a cursor of this list")
        .with_code("invalid_cursor")
        .with_hint("Start again without a cursor.");
  }
  return *std::move(after);
}

}  // namespace sluice::catalog

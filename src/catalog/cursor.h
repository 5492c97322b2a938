#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sluice/base/principal.h"
#include "sluice/base/result.h"
#include "sluice/crypto/signer.h"

namespace sluice::catalog {

// Where the next page of a list begins. A cursor is good for one list and one principal, on any replica that
// has the key.
std::string encode_cursor(const crypto::Signer& signer, std::string_view list, const Principal& principal,
                          std::string_view after);
Result<std::string> decode_cursor(const crypto::Signer& signer, std::string_view list,
                                  const Principal& principal, std::string_view cursor);

}  // namespace sluice::catalog

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/oauth/token_store.h"

namespace sluice::oauth {

// The file of a token store. The last grant was saved last.
std::string encode_grants(const std::vector<StoredGrant>& grants);
// token_store_broken where the text is something else; nothing of it is in the message.
Result<std::vector<StoredGrant>> decode_grants(std::string_view text);

}  // namespace sluice::oauth

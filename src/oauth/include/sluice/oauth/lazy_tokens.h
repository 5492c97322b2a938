#pragma once

#include <memory>
#include <string>

#include "sluice/oauth/token_store.h"

namespace sluice::oauth {

// Tokens in a folder that is made when there is something to keep: whoever is never asked leaves no trace.
// Empty: they are kept in memory.
std::shared_ptr<TokenStore> make_lazy_tokens(std::string folder);

}  // namespace sluice::oauth

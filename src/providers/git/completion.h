#pragma once

#include <string_view>

#include "sluice/base/result.h"
#include "sluice/catalog/context.h"
#include "sluice/protocol/model/completion.h"

#include "place.h"

namespace sluice::git {

// Branches and tags that begin with what was typed.
Result<protocol::Completion> complete_ref(const Place& place, std::string_view typed,
                                          const catalog::Context& context);

// Commits of HEAD's history, the newest first, and then refs.
Result<protocol::Completion> complete_commit(const Place& place, std::string_view typed,
                                             const catalog::Context& context);

// Both ends of `main..feature` or `main...feature`: the one that is being typed.
Result<protocol::Completion> complete_range(const Place& place, std::string_view typed,
                                            const catalog::Context& context);

// What stands in the folder that was typed, at a ref.
Result<protocol::Completion> complete_path(const Place& place, std::string_view ref, std::string_view typed,
                                           const catalog::Context& context);

}  // namespace sluice::git

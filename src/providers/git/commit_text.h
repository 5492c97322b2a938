#pragma once

#include <string>
#include <string_view>

#include "sluice/base/result.h"

#include "history.h"
#include "repository.h"

// Answers about commits, in both forms.
namespace sluice::git {

// "0123456789 Subject" for each.
std::string history_text(const History& history);
std::string history_json(const History& history);

// Head, message and what it changed against its first parent; as text also the patch.
Result<RenderedPage> render_commit(const Repository& repository, const git_oid& id,
                                   const PageRequest& request);

// Of `a..b`: what makes b of a; of `a...b`: what makes b of where both come from. kNotFound where the range
// is none.
Result<RenderedPage> render_diff(const Repository& repository, std::string_view range,
                                 const PageRequest& request);

}  // namespace sluice::git

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
Result<std::string> commit_text(const Repository& repository, const git_oid& id, Form form);

// Of `a..b`: what makes b of a; of `a...b`: what makes b of where both come from. kNotFound where the range
// is none.
Result<std::string> diff_text(const Repository& repository, std::string_view range, Form form);

}  // namespace sluice::git

#pragma once

#include <string_view>

#include "sluice/base/result.h"

namespace sluice::expression {

// What has to be true of a text before the engine's parser may see it. It copies the operand of
// `CASE x WHEN 1 … WHEN 2 …` once for each WHEN, so that eighteen nested ones take all memory, and the
// definition of a named window to each use; neither can be interrupted. So the words are counted as if
// copied, and named windows refused, with placeholders and dollar-quoted text, which cannot be told apart
// from here.
Status check_sql_text(std::string_view sql);

}  // namespace sluice::expression

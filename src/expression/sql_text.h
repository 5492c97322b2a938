#pragma once

#include <string_view>

#include "sluice/base/result.h"
#include "sluice/expression/sql_parameters.h"

namespace sluice::expression {

// What has to be true of a text before the engine's parser may see it. It copies the operand of
// `CASE x WHEN 1 … WHEN 2 …` once for each WHEN, so that eighteen nested ones take all memory, and the
// definition of a named window to each use; neither can be interrupted. So the words are counted as if
// copied, and named windows refused, with dollar-quoted text and with placeholders other than `$name` of one
// of the parameters.
Status check_sql_text(std::string_view sql, const SqlParameters& parameters = {});

}  // namespace sluice::expression

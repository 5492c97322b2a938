#pragma once

#include <string_view>

#include "sluice/base/result.h"
#include "sluice/expression/question.h"

namespace sluice::expression {

// Compiles a chain of Polars methods, `df.filter(pl.col("a") > 3).group_by("c").agg(pl.len()).head(10)`, to
// one SELECT over `data`; `df.`, `lf.` and `data.` in front may be left out. docs/EXPRESSIONS.md lists what
// is understood. Every literal becomes a parameter, and nothing of the text gets into the SQL but names of
// columns, quoted. Work is bounded by the text (base/limits.h). Any thread.
//
// Fails with the codes `invalid_expression`, `invalid_column` and `expression_too_large`.
//
// Where it differs from Polars: groups come in the order of their keys, nulls last, unless
// `maintain_order=True` (then in order of appearance); equal rows of a sort keep their order; `unique` keeps
// the first row of its kind; an integer that overflows is an error; text is compared to dates by its meaning;
// regular expressions are RE2's.
Result<Question> compile_polars(std::string_view text, const Columns& columns, const plan::Guard& guard);

}  // namespace sluice::expression

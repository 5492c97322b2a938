#include "sluice/expression/polars.h"

#include <utility>
#include <vector>

#include "polars_chain.h"
#include "polars_parser.h"
#include "polars_query.h"
#include "polars_totals.h"

namespace sluice::expression {

Result<Question> compile_polars(std::string_view text, const Columns& columns, const plan::Guard& guard) {
  SLUICE_TRY(const PolarsNode root, parse_polars(text));
  SLUICE_TRY(const std::vector<PolarsStep> steps, chain_of(root));
  PolarsQuery query(columns);
  for (std::size_t i = 0; i < steps.size();) {
    const PolarsStep* next = i + 1 < steps.size() ? &steps[i + 1] : nullptr;
    SLUICE_TRY(const std::size_t taken, query.apply(steps[i], next));
    i += taken;
  }
  SLUICE_TRY(Question question, std::move(query).finish(guard));
  question.totals = totals_of(steps);
  return question;
}

}  // namespace sluice::expression

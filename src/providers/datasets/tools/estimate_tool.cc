#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/query/statement.h"
#include "sluice/render/rows.h"

#include "answer/filter_token.h"
#include "answer/result_json.h"
#include "tools/confirm.h"
#include "tools/tools.h"

namespace sluice::datasets {

namespace {

using expression::Question;

constexpr std::uint64_t kPreviewRows = 5;
constexpr std::uint64_t kPreviewTokens = 2'000;
constexpr std::uint64_t kWideRowBytes = 2'000;

// Whether an answer may fit, by an estimate: a count excludes it, a sample if it is far off, and the
// planner's guess, which knows nothing of filters and groups, never does.
bool may_fit(const query::Estimate& estimate, const Budget& budget) {
  constexpr std::uint64_t kSampleFactor = 4;
  if (estimate.kind == query::EstimateKind::kPlanner) return true;
  const std::uint64_t factor = estimate.kind == query::EstimateKind::kExact ? 1 : kSampleFactor;
  return estimate.rows / factor <= budget.rows && estimate.bytes / factor <= 2 * budget.bytes &&
         estimate.tokens / factor <= 2 * budget.tokens;
}

// The first rows of an answer, and all of it where it may fit: only that tells whether it does.
struct Trial {
  std::string preview;  // A JSON array.
  std::size_t columns = 0;
  std::optional<query::Estimate> whole;  // Of an answer that fits, exactly.
};

// Renders the answer as query_data would, up to the budget of `options`, or its first rows alone.
Result<Trial> try_answer(const Subject& subject, const Question& question, const render::JsonOptions& options,
                         bool is_whole, const catalog::Context& context) {
  const engine::RunLimits limits = limits_of(context);
  SLUICE_TRY(const query::Relation relation, subject.dataset->open(*subject.table, limits, &question));
  const std::uint64_t wanted = is_whole ? std::max(options.budget.rows + 1, kPreviewRows) : kPreviewRows;
  SLUICE_TRY(const std::unique_ptr<engine::Rows> rows,
             subject.engine->query(query::statement_of(question, *subject.table, relation,
                                                       std::min(wanted, question.limit.value_or(wanted))),
                                   limits));
  render::JsonRows preview(rows->columns(), {.budget = {.rows = kPreviewRows, .tokens = kPreviewTokens},
                                             .cell_bytes_max = query::kPreviewCellBytes});
  render::JsonRows whole(rows->columns(), options);
  bool fits = is_whole;
  while (true) {
    SLUICE_TRY(const engine::Batch* batch, rows->next());
    if (batch == nullptr) break;
    preview.append(*batch);
    fits = fits && whole.append(*batch) == batch->rows;
    if (!fits && preview.meter().hit()) break;
  }
  Trial out{.preview = std::move(preview).take(), .columns = rows->columns().size(), .whole = {}};
  if (fits) {
    out.whole = query::Estimate{.rows = whole.meter().rows(),
                                .kind = query::EstimateKind::kExact,
                                .bytes = whole.bytes(),
                                .tokens = render::tokens_of(whole.bytes())};
  }
  return out;
}

std::vector<std::string> warnings_of(const Measurement& measurement, const Question& question) {
  std::vector<std::string> out = question.warnings;
  const query::Estimate& estimate = measurement.estimate;
  if (!measurement.fits_inline) {
    out.emplace_back(
        "query_data would answer with a handle. Fewer columns, a filter, an aggregate or a limit give a "
        "direct answer.");
  }
  if (question.is_grouped && estimate.rows > kGroupsMany)
    out.push_back(fmt::format("About {} groups: {}.", estimate.rows, kFewerGroups));
  if (estimate.rows > 0 && estimate.bytes / estimate.rows > kWideRowBytes) {
    out.push_back(fmt::format("Rows are wide, about {} bytes each: name the columns that are needed.",
                              estimate.bytes / estimate.rows));
  }
  return out;
}

}  // namespace

Result<protocol::ToolResult> estimate_query(const DatasetTools& tools, const json::Object& arguments,
                                            catalog::Context& context) {
  SLUICE_TRY(const Subject subject, tools.open(arguments, context));
  return estimate_subject(tools, subject, arguments, context);
}

Result<protocol::ToolResult> estimate_subject(const DatasetTools& tools, const Subject& subject,
                                              const json::Object& arguments, catalog::Context& context) {
  SLUICE_TRY(const query::QueryArguments query_arguments, read_question(tools, arguments, context));
  SLUICE_TRY(Question question,
             query::compile(query_arguments, *subject.table, subject.dataset->collection(), subject.guard));
  const Budget asked = tools.budget(arguments, question.warnings);
  const Budget budget = within_envelope(asked);
  Measurement measurement;
  SLUICE_TRY(measurement.estimate, query::estimate(*subject.engine, question, *subject.dataset,
                                                   *subject.table, {}, limits_of(context)));
  SLUICE_TRY(Trial trial, try_answer(subject, question, {.shape = shape_of(arguments), .budget = budget},
                                     may_fit(measurement.estimate, budget), context));
  measurement.fits_inline = trial.whole.has_value();
  if (trial.whole) measurement.estimate = *trial.whole;
  tools.answers().keep(AnswerCache::key_of(*subject.dataset, question), measurement.estimate);
  measurement.preview = std::move(trial.preview);
  measurement.warnings = warnings_of(measurement, question);
  if (!measurement.fits_inline) measurement.alternatives = cheaper_questions(subject, arguments);
  return estimate_result(measurement, asked);
}

}  // namespace sluice::datasets

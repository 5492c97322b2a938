#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/log.h"
#include "sluice/base/text.h"
#include "sluice/json/object_reader.h"
#include "sluice/query/statement.h"
#include "sluice/render/feed.h"

#include "confirm.h"
#include "filter_token.h"
#include "formats.h"
#include "result_json.h"
#include "tools.h"

namespace sluice::datasets {

namespace {

using expression::Question;
using query::Format;

constexpr std::uint64_t kEstimatePreviewRows = 5;
constexpr std::uint64_t kGroupsMany = 1'000;

Result<Format> format_of(const Desk& desk, const json::Object& arguments) {
  for (const std::string_view key : {"output_format", "format"}) {
    const json::Value* value = arguments.find(key);
    if (value != nullptr && value->if_string() != nullptr) return parse_format(desk, *value->if_string());
  }
  return Format::kJson;
}

render::Shape shape_of(const json::Object& arguments) {
  const json::Value* value = arguments.find("shape");
  const bool columns = value != nullptr && value->if_string() != nullptr && *value->if_string() == "columns";
  return columns ? render::Shape::kColumns : render::Shape::kRecords;
}

bool flag(const json::Object& arguments, std::string_view name) {
  const json::Value* value = arguments.find(name);
  return value != nullptr && value->if_bool() != nullptr && *value->if_bool();
}

// Whether it is known without asking the engine that the answer fits.
bool surely_fits(const Question& question, const query::Dataset& dataset, const Budget& budget) {
  if (question.rows_max && *question.rows_max <= budget.rows) return true;
  return dataset.count_state() == query::CountState::kExact && dataset.row_count() <= budget.rows;
}

// Whether nothing says that the data is large: its own database need not be asked for a guess then.
bool seems_small(const query::Dataset& dataset, const Limits& limits) {
  if (dataset.count_state() == query::CountState::kUnknown) return true;
  return dataset.count_state() == query::CountState::kGuessed && dataset.row_count() <= limits.confirm_rows;
}

Result<query::Attempt> attempt_at_source(const Desk& desk, const Subject& subject,
                                         const query::AnswerRequest& request, const Budget& budget) {
  if (surely_fits(request.question, *subject.dataset, budget)) return query::Attempt{};
  if (!seems_small(*subject.dataset, desk.services().limits)) return query::Attempt{};
  return query::answer_at_source(*subject.engine, *desk.services().spool, request);
}

struct Measured {
  std::optional<query::Estimate> estimate;
  std::chrono::microseconds time{0};
};

Result<Measured> preflight(const Desk& desk, const Subject& subject, const Question& question,
                           const Budget& budget, const catalog::Context& context) {
  if (surely_fits(question, *subject.dataset, budget)) return Measured{};
  const Monotonic begin = system_clock().now();
  const std::string key = AnswerCache::key_of(*subject.dataset, question);
  if (const auto known = desk.answers().find_estimate(key)) return Measured{.estimate = *known};
  SLUICE_TRY(const query::Estimate estimate,
             query::estimate(*subject.engine, question, *subject.dataset, *subject.table,
                             query::kPreflightTime, limits_of(context)));
  desk.answers().keep(key, estimate);
  return Measured{
      .estimate = estimate,
      .time = std::chrono::duration_cast<std::chrono::microseconds>(system_clock().now() - begin)};
}

struct Answered {
  Monotonic begin;
  std::string_view method;  // "direct", "cached" or "handle".
};
void log_answer(const catalog::Context& context, const Subject& subject, const Question& question,
                const Measured& measured, const query::Answer& answer, const Answered& how) {
  if (!log::enabled(log::Level::kInfo)) return;
  const auto time = std::chrono::duration_cast<std::chrono::microseconds>(system_clock().now() - how.begin);
  log::info("query",
            {{"request", context.request_id()},
             {"principal", context.principal().id},
             {"dataset", subject.dataset->name()},
             {"plan", plan_digest(question)},
             {"estimated_rows", measured.estimate ? static_cast<std::int64_t>(measured.estimate->rows) : -1},
             {"estimated_by", measured.estimate ? query::to_string(measured.estimate->kind) : "skipped"},
             {"rows", answer.row_count},
             {"method", how.method},
             {"cap", answer.cap ? render::to_string(*answer.cap) : ""},
             {"preflight_us", measured.time.count()},
             {"time_us", time.count()}});
}

}  // namespace

Result<protocol::ToolResult> answer_question(const Desk& desk, const Subject& subject, Question question,
                                             const json::Object& arguments, catalog::Context& context) {
  const Monotonic begin = system_clock().now();
  SLUICE_TRY(const Format format, format_of(desk, arguments));
  const Budget budget = desk.budget(arguments, question.warnings);
  if (question.is_lossy && flag(arguments, "confirm_lossy") && !flag(arguments, "confirm")) {
    SLUICE_TRY(std::optional<protocol::ToolResult> instead, confirm_loss(arguments, context));
    if (instead) return *std::move(instead);
  }
  query::AnswerRequest request{.dataset = subject.dataset,
                               .table = subject.table.get(),
                               .question = question,
                               .format = format,
                               .shape = shape_of(arguments),
                               .budget = within_envelope(budget),
                               .principal = context.principal(),
                               .limits = limits_of(context)};
  const std::string key = AnswerCache::key_of(request);
  if (const std::shared_ptr<const query::Answer> known = desk.answers().find(key, request)) {
    log_answer(context, subject, question, {}, *known, {.begin = begin, .method = "cached"});
    return answer_result(desk, request, *known, false);
  }
  SLUICE_TRY(query::Attempt attempt, attempt_at_source(desk, subject, request, budget));
  Measured measured;
  if (!attempt.answer) {
    request.excess = attempt.excess;
    SLUICE_TRY(measured, preflight(desk, subject, question, budget, context));
    if (measured.estimate && !flag(arguments, "confirm")) {
      SLUICE_TRY(std::optional<protocol::ToolResult> instead,
                 confirm_size(desk, *measured.estimate, question, arguments, context));
      if (instead) return *std::move(instead);
    }
    request.estimate = measured.estimate;
    SLUICE_TRY(attempt.answer, query::answer(*subject.engine, *desk.services().spool, request));
  }
  query::Answer& answer = *attempt.answer;
  if (question.is_grouped && answer.row_count > kGroupsMany) {
    answer.warnings.push_back(
        fmt::format("{} groups: group by fewer columns, or ask for top_n.", answer.row_count));
  }
  desk.answers().keep(key, answer);
  if (desk.services().copier != nullptr) desk.services().copier->note(subject.dataset, subject.table);
  log_answer(context, subject, question, measured, answer,
             {.begin = begin, .method = answer.snapshot ? "handle" : "direct"});
  return answer_result(desk, request, std::move(answer), flag(arguments, "legacy_file_path"));
}

Result<protocol::ToolResult> query_data(const Desk& desk, const json::Object& arguments,
                                        catalog::Context& context) {
  SLUICE_TRY(const Subject subject, desk.open(arguments, context));
  return query_subject(desk, subject, arguments, context);
}

Result<protocol::ToolResult> query_subject(const Desk& desk, const Subject& subject,
                                           const json::Object& arguments, catalog::Context& context) {
  SLUICE_TRY(const query::Knobs knobs, read_question(desk, arguments, context));
  SLUICE_TRY(Question question, query::compile(knobs, *subject.table, subject.dataset->collection()));
  return answer_question(desk, subject, std::move(question), arguments, context);
}

Result<protocol::ToolResult> aggregate(const Desk& desk, const json::Object& arguments,
                                       catalog::Context& context) {
  SLUICE_TRY(const Subject subject, desk.open(arguments, context));
  SLUICE_TRY(query::Knobs knobs, read_question(desk, arguments, context));
  knobs.grouped = true;
  SLUICE_TRY(const std::optional<std::int64_t> top, json::ObjectReader(arguments, "").optional_int("top_n"));
  if (top && *top < 1) return invalid_input("top_n must be at least 1").with_code("invalid_limit");
  if (top) {
    knobs.limit = static_cast<std::uint64_t>(*top);
    // The largest of what was asked for first.
    if (knobs.order_by.empty() && !knobs.aggregates.empty()) {
      knobs.order_by.push_back({.column = query::output_name(knobs.aggregates.front()), .descending = true});
    }
  }
  SLUICE_TRY(Question question, query::compile(knobs, *subject.table, subject.dataset->collection()));
  return answer_question(desk, subject, std::move(question), arguments, context);
}

Result<protocol::ToolResult> estimate_query(const Desk& desk, const json::Object& arguments,
                                            catalog::Context& context) {
  SLUICE_TRY(const Subject subject, desk.open(arguments, context));
  return estimate_subject(desk, subject, arguments, context);
}

Result<protocol::ToolResult> estimate_subject(const Desk& desk, const Subject& subject,
                                              const json::Object& arguments, catalog::Context& context) {
  SLUICE_TRY(const query::Knobs knobs, read_question(desk, arguments, context));
  SLUICE_TRY(const Question question, query::compile(knobs, *subject.table, subject.dataset->collection()));
  SLUICE_TRY(const query::Estimate estimate, query::estimate(*subject.engine, question, *subject.dataset,
                                                             *subject.table, {}, limits_of(context)));
  desk.answers().keep(AnswerCache::key_of(*subject.dataset, question), estimate);
  SLUICE_TRY(const query::Relation relation,
             subject.dataset->open(*subject.table, limits_of(context), &question));
  const std::uint64_t rows_max =
      std::min(kEstimatePreviewRows, question.limit.value_or(kEstimatePreviewRows));
  SLUICE_TRY(const std::unique_ptr<engine::Rows> rows,
             subject.engine->query(query::statement_of(question, *subject.table, relation, rows_max),
                                   limits_of(context)));
  render::JsonRows preview(rows->columns(), {.budget = {.rows = rows_max, .tokens = 2'000},
                                             .cell_bytes_max = query::kPreviewCellBytes});
  SLUICE_TRY([[maybe_unused]] const bool complete, render::feed(*rows, preview));
  return estimate_result(desk, estimate, question, rows->columns().size(), std::move(preview).take());
}

Result<protocol::ToolResult> query_next_page(const Desk& desk, const json::Object& arguments,
                                             catalog::Context& context) {
  const json::ObjectReader in(arguments, "");
  SLUICE_TRY(const std::string id, in.required_string("result_handle"));
  SLUICE_TRY(const std::optional<std::string> token, in.optional_string("page_token"));
  SLUICE_TRY(const std::shared_ptr<engine::Engine> engine, desk.services().engines->get());
  SLUICE_TRY(const query::SnapshotPtr snapshot,
             desk.services().spool->find(id, context.principal(), *engine));
  std::uint64_t offset = 0;
  if (token) {
    SLUICE_TRY(offset, read_page_token(desk, id, *token));
  }
  SLUICE_TRY(const Format format, format_of(desk, arguments));
  std::vector<std::string> warnings;
  const Budget budget = within_envelope(desk.budget(arguments, warnings));
  if (is_binary(format)) return page_file_result(desk, *engine, *snapshot, offset, format, context);
  const query::PageRequest request{
      .offset = offset, .budget = budget, .format = format, .shape = shape_of(arguments)};
  SLUICE_TRY(const query::Page page, query::read_page(*engine, *snapshot, request, limits_of(context)));
  return page_result(desk, *snapshot, request, page, std::move(warnings));
}

}  // namespace sluice::datasets

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/log.h"
#include "sluice/base/text.h"
#include "sluice/json/object_reader.h"
#include "sluice/query/result_file.h"

#include "answer/dropped_rows.h"
#include "answer/filter_hints.h"
#include "answer/filter_token.h"
#include "answer/formats.h"
#include "answer/result_json.h"
#include "tools/confirm.h"
#include "tools/outcome.h"
#include "tools/tools.h"
#include "tools/work_check.h"

namespace sluice::datasets {

namespace {

using expression::Question;
using query::Format;

Result<Format> format_of(const DatasetTools& tools, const json::Object& arguments) {
  for (const std::string_view key : {"output_format", "format"}) {
    const json::Value* value = arguments.find(key);
    if (value != nullptr && value->if_string() != nullptr) return parse_format(tools, *value->if_string());
  }
  return Format::kJson;
}

bool flag(const json::Object& arguments, std::string_view name) {
  const json::Value* value = arguments.find(name);
  return value != nullptr && value->if_bool() != nullptr && *value->if_bool();
}

// Whether it is known without asking the engine that the answer has no more rows than fit. QueryArguments
// never give more rows than the dataset has; SQL with a join can.
bool surely_fits(const Question& question, const query::Dataset& dataset, const Budget& budget) {
  if (question.rows_max && *question.rows_max <= budget.rows) return true;
  return expression::never_grows(question) && dataset.count_state() == query::CountState::kExact &&
         dataset.row_count() <= budget.rows;
}

// Whether nothing says that the data is large: its own database need not be asked for a guess then.
bool seems_small(const query::Dataset& dataset, const Limits& limits) {
  if (dataset.count_state() == query::CountState::kUnknown) return true;
  return dataset.count_state() == query::CountState::kGuessed && dataset.row_count() <= limits.confirm_rows;
}

Result<query::Attempt> attempt_at_source(const DatasetTools& tools, const Subject& subject,
                                         const query::AnswerRequest& request, const Budget& budget) {
  if (surely_fits(request.question, *subject.dataset, budget)) return query::Attempt{};
  if (!seems_small(*subject.dataset, tools.services().limits)) return query::Attempt{};
  return query::answer_at_source(*subject.engine, *tools.services().spool, request);
}

// A caller who wants to be asked about many groups waits until they are counted.
constexpr query::EstimateTime kGroupsTime{.count = std::chrono::seconds(2),
                                          .sample = std::chrono::seconds(1)};

struct Measured {
  std::optional<query::Estimate> estimate;
  std::chrono::microseconds time{0};
};

Result<Measured> preflight(const DatasetTools& tools, const Subject& subject, const Question& question,
                           const query::EstimateTime& time, const engine::RunLimits& limits) {
  const Monotonic begin = system_clock().now();
  const std::string key = AnswerCache::key_of(*subject.dataset, question);
  if (const auto known = tools.answers().find_estimate(key)) return Measured{.estimate = *known};
  SLUICE_TRY(const query::Estimate estimate,
             query::estimate(*subject.engine, question, *subject.dataset, *subject.table, time, limits));
  tools.answers().keep(key, estimate);
  return Measured{
      .estimate = estimate,
      .time = std::chrono::duration_cast<std::chrono::microseconds>(system_clock().now() - begin)};
}

struct AnswerLog {
  Monotonic begin;
  std::string_view method;  // "direct", "cached" or "handle".
};
void log_answer(const catalog::Context& context, const Subject& subject, const Question& question,
                const Measured& measured, const query::Answer& answer, const AnswerLog& how) {
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

// A call that ended with a question, or with the user's refusal.
protocol::ToolResult log_asked(const catalog::Context& context, const Subject& subject,
                               const Question& question, protocol::ToolResult instead) {
  log::info("query.asked", {{"request", context.request_id()},
                            {"principal", context.principal().id},
                            {"dataset", subject.dataset->name()},
                            {"plan", plan_digest(question)}});
  return instead;
}

// What is to be asked before the question is answered: nothing, or the answer to give instead.
Result<std::optional<protocol::ToolResult>> ask_first(const DatasetTools& tools, const Question& question,
                                                      const std::optional<query::Estimate>& estimate,
                                                      const json::Object& arguments,
                                                      catalog::Context& context) {
  if (!estimate || flag(arguments, "confirm")) return std::optional<protocol::ToolResult>();
  // The planner's guess knows nothing of groups.
  const bool is_guess = estimate->kind == query::EstimateKind::kPlanner;
  if (question.is_grouped && !is_guess && flag(arguments, "confirm_lossy") && estimate->rows > kGroupsMany)
    return confirm_groups(*estimate, arguments, context);
  return confirm_size(tools, *estimate, question, arguments, context);
}

// The answer within what may be written without asking, or else the question whether to go on.
struct Answered {
  query::Answer answer;
  std::optional<protocol::ToolResult> instead;
};
Result<Answered> answer_or_ask(const DatasetTools& tools, const Subject& subject,
                               query::AnswerRequest& request, const json::Object& arguments,
                               catalog::Context& context) {
  const Limits& limits = tools.services().limits;
  if (!flag(arguments, "confirm"))
    request.unconfirmed = {.rows = limits.confirm_rows, .bytes = limits.confirm_bytes};
  SLUICE_TRY(query::Answer answer, query::answer(*subject.engine, *tools.services().spool, request));
  if (!answer.is_over_bound) return Answered{.answer = std::move(answer), .instead = {}};
  SLUICE_TRY(std::optional<protocol::ToolResult> instead,
             confirm_growth(limits.confirm_rows, arguments, context));
  if (instead) return Answered{.answer = {}, .instead = std::move(instead)};
  request.unconfirmed = {};
  SLUICE_TRY(answer, query::answer(*subject.engine, *tools.services().spool, request));
  return Answered{.answer = std::move(answer), .instead = {}};
}

Result<FileFacts> make_file(const DatasetTools& tools, const Subject& subject,
                            const query::AnswerRequest& request, const query::Answer& answer) {
  if (request.format == Format::kJson) return FileFacts{};
  SLUICE_TRY(const query::FilePtr file, query::result_file(*subject.engine, *tools.services().spool,
                                                           *answer.snapshot, request.format, request.limits));
  return FileFacts{.bytes = file->bytes_when_opened()};
}

}  // namespace

render::Shape shape_of(const json::Object& arguments) {
  const json::Value* value = arguments.find("shape");
  const bool columns = value != nullptr && value->if_string() != nullptr && *value->if_string() == "columns";
  return columns ? render::Shape::kColumns : render::Shape::kRecords;
}

namespace {

// Answers within the limits of the request, or asks whether to go on.
Result<Outcome> answer_within(const DatasetTools& tools, const Subject& subject, query::AnswerRequest request,
                              const AnswerStyle& style, const json::Object& arguments,
                              catalog::Context& context) {
  const Monotonic begin = system_clock().now();
  const Question& question = request.question;
  query::Attempt attempt;
  if (style.tries_first && !style.is_kept && style.format == Format::kJson) {
    SLUICE_TRY(attempt, query::answer_directly(*subject.engine, *tools.services().spool, request));
  } else if (!style.is_kept) {
    SLUICE_TRY(attempt, attempt_at_source(tools, subject, request, style.budget));
  }
  Measured measured;
  if (!attempt.answer) {
    if (attempt.excess) request.excess = attempt.excess;
    const bool asks_of_loss = flag(arguments, "confirm_lossy") && !flag(arguments, "confirm");
    const bool counts_groups = question.is_grouped && asks_of_loss;
    if (counts_groups || !surely_fits(question, *subject.dataset, style.budget)) {
      const query::EstimateTime& time = counts_groups ? kGroupsTime : query::kPreflightTime;
      SLUICE_TRY(measured, preflight(tools, subject, question, time, request.limits));
    }
    SLUICE_TRY(std::optional<protocol::ToolResult> instead,
               ask_first(tools, question, measured.estimate, arguments, context));
    if (instead) return Outcome{.instead = log_asked(context, subject, question, *std::move(instead))};
    request.estimate = measured.estimate;
    SLUICE_TRY(Answered answered, answer_or_ask(tools, subject, request, arguments, context));
    if (answered.instead)
      return Outcome{.instead = log_asked(context, subject, question, *std::move(answered.instead))};
    attempt.answer = std::move(answered.answer);
  }
  query::Answer& answer = *attempt.answer;
  if (question.is_grouped && answer.row_count > kGroupsMany)
    answer.warnings.push_back(fmt::format("{} groups: {}.", answer.row_count, kFewerGroups));
  warn_of_dropped_rows(subject, question, context, answer.warnings);
  if (answer.row_count == 0) warn_of_no_rows(subject, question, context, answer.warnings);
  tools.answers().keep(style.is_kept ? "" : AnswerCache::key_of(request), answer);
  if (tools.services().copier != nullptr) tools.services().copier->note(subject.dataset, subject.table);
  SLUICE_TRY(FileFacts file, make_file(tools, subject, request, answer));
  file.with_file_path = flag(arguments, "legacy_file_path");
  log_answer(context, subject, question, measured, answer,
             {.begin = begin, .method = answer.snapshot ? "handle" : "direct"});
  return Outcome{.request = std::move(request), .answer = std::move(answer), .file = file};
}

}  // namespace

Result<Outcome> find_answer(const DatasetTools& tools, const Subject& subject, Question question,
                            const AnswerStyle& style, const json::Object& arguments,
                            catalog::Context& context) {
  const Monotonic begin = system_clock().now();
  const bool is_confirmed = flag(arguments, "confirm");
  if (question.is_lossy && flag(arguments, "confirm_lossy") && !is_confirmed) {
    SLUICE_TRY(std::optional<protocol::ToolResult> instead, confirm_loss(arguments, context));
    if (instead) return Outcome{.instead = log_asked(context, subject, question, *std::move(instead))};
  }
  query::AnswerRequest request{.dataset = subject.dataset,
                               .table = subject.table.get(),
                               .question = std::move(question),
                               .format = style.format,
                               .shape = style.shape,
                               .digits = style.digits,
                               .budget = style.budget,
                               .principal = context.principal(),
                               .limits = limits_of(context)};
  request.is_kept = style.is_kept;
  const std::string key = style.is_kept ? "" : AnswerCache::key_of(request);
  if (const std::shared_ptr<const query::Answer> known = tools.answers().find(key, request)) {
    log_answer(context, subject, request.question, {}, *known, {.begin = begin, .method = "cached"});
    return Outcome{.request = std::move(request), .answer = *known};
  }
  if (is_confirmed) return answer_within(tools, subject, std::move(request), style, arguments, context);
  SLUICE_TRY(WorkCheck work, check_work(tools, subject, request.question, arguments, context));
  if (work.instead)
    return Outcome{.instead = log_asked(context, subject, request.question, *std::move(work.instead))};
  const Limits& limits = tools.services().limits;
  if (work.allows_transfer || limits.confirm_transfer >= limits.transfer_bytes_max)
    return answer_within(tools, subject, std::move(request), style, arguments, context);
  request.limits.transfer_bytes_max = limits.confirm_transfer;
  Result<Outcome> bounded = answer_within(tools, subject, request, style, arguments, context);
  if (bounded.ok() || bounded.error().code != engine::kTransferLimit) return bounded;
  SLUICE_TRY(std::optional<protocol::ToolResult> instead,
             confirm_more_transfer(limits.confirm_transfer, arguments, context));
  if (instead) return Outcome{.instead = log_asked(context, subject, request.question, *std::move(instead))};
  request.limits.transfer_bytes_max = UINT64_MAX;
  return answer_within(tools, subject, std::move(request), style, arguments, context);
}

Result<protocol::ToolResult> answer_question(const DatasetTools& tools, const Subject& subject,
                                             Question question, const json::Object& arguments,
                                             catalog::Context& context) {
  SLUICE_TRY(const Format format, format_of(tools, arguments));
  const AnswerStyle style{.shape = shape_of(arguments),
                          .format = format,
                          .budget = within_envelope(tools.budget(arguments, question.warnings))};
  SLUICE_TRY(Outcome outcome, find_answer(tools, subject, std::move(question), style, arguments, context));
  if (outcome.instead) return *std::move(outcome.instead);
  if (outcome.answer.snapshot && tools.services().download)
    outcome.file.download =
        tools.services().download(*outcome.answer.snapshot, {.format = format, .name = {}});
  return answer_result(tools, outcome.request, std::move(outcome.answer), outcome.file);
}

Result<protocol::ToolResult> query_data(const DatasetTools& tools, const json::Object& arguments,
                                        catalog::Context& context) {
  SLUICE_TRY(const Subject subject, tools.open(arguments, context));
  return query_subject(tools, subject, arguments, context);
}

Result<protocol::ToolResult> query_subject(const DatasetTools& tools, const Subject& subject,
                                           const json::Object& arguments, catalog::Context& context) {
  SLUICE_TRY(const query::QueryArguments query_arguments, read_question(tools, arguments, context));
  SLUICE_TRY(Question question,
             query::compile(query_arguments, *subject.table, subject.dataset->collection(), subject.guard));
  return answer_question(tools, subject, std::move(question), arguments, context);
}

Result<protocol::ToolResult> aggregate(const DatasetTools& tools, const json::Object& arguments,
                                       catalog::Context& context) {
  SLUICE_TRY(const Subject subject, tools.open(arguments, context));
  SLUICE_TRY(query::QueryArguments query_arguments, read_question(tools, arguments, context));
  query_arguments.grouped = true;
  SLUICE_TRY(const std::optional<std::int64_t> top, json::ObjectReader(arguments, "").optional_int("top_n"));
  if (top && *top < 1) return invalid_input("top_n must be at least 1").with_code("invalid_limit");
  if (top) {
    const auto largest = static_cast<std::uint64_t>(*top);
    query_arguments.limit = std::min(query_arguments.limit.value_or(largest), largest);
    // The largest of what was asked for first.
    if (query_arguments.order_by.empty() && !query_arguments.aggregates.empty())
      query_arguments.order_by.push_back(
          {.column = query::named_aggregates(query_arguments).front().name, .descending = true});
  }
  SLUICE_TRY(Question question,
             query::compile(query_arguments, *subject.table, subject.dataset->collection(), subject.guard));
  return answer_question(tools, subject, std::move(question), arguments, context);
}

Result<protocol::ToolResult> query_next_page(const DatasetTools& tools, const json::Object& arguments,
                                             catalog::Context& context) {
  const json::ObjectReader in(arguments, "");
  SLUICE_TRY(const std::string id, in.required_string("result_handle"));
  SLUICE_TRY(const std::optional<std::string> token, in.optional_string("page_token"));
  SLUICE_TRY(const std::shared_ptr<engine::Engine> engine, tools.services().engines->get());
  SLUICE_TRY(const query::SnapshotPtr snapshot,
             tools.services().spool->find(id, tools.caller_of(context), *engine));
  std::uint64_t offset = 0;
  if (token) {
    SLUICE_TRY(offset, read_page_token(tools, id, *token));
  }
  SLUICE_TRY(const Format format, format_of(tools, arguments));
  std::vector<std::string> warnings;
  const Budget budget = within_envelope(tools.budget(arguments, warnings));
  if (is_binary(format)) {
    return page_file_result(tools, *engine, *snapshot, {.offset = offset, .budget = budget, .format = format},
                            warnings, context);
  }
  const query::PageRequest request{
      .offset = offset, .budget = budget, .format = format, .shape = shape_of(arguments), .is_in_json = true};
  SLUICE_TRY(const query::Page page, query::read_page(*engine, *snapshot, request, limits_of(context)));
  return page_result(tools, *snapshot, request, page, std::move(warnings));
}

}  // namespace sluice::datasets

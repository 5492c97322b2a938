#include <algorithm>
#include <array>
#include <chrono>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/datasets/result_names.h"
#include "sluice/datasets/sql_spelling.h"
#include "sluice/json/object_reader.h"

#include "answer/formats.h"
#include "lean/empty_answer.h"
#include "lean/explain.h"
#include "lean/lean_tools.h"
#include "lean/ordered_text.h"
#include "lean/statement.h"
#include "lean/table_finder.h"
#include "lean/token_estimate.h"
#include "tools/outcome.h"

namespace sluice::datasets::lean {

namespace {

constexpr std::size_t kStatementsMax = 16;
constexpr std::size_t kNameBytesMax = 63;

// What one call asks for.
struct QueryRequest {
  std::vector<std::string> statements;
  StatementStyle style;
};

bool is_plain_name(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && name.size() <= kNameBytesMax && is_letter(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

Status check_name(const DatasetTools& tools, const std::string& name) {
  if (!is_plain_name(name)) {
    return invalid_input("a result cannot be called " + excerpt(name))
        .with_code("invalid_name")
        .with_hint("Use letters, digits and _, beginning with a letter.");
  }
  if (ResultNames::is_automatic(name) || is_taken(tools.inventory(), name)) {
    return conflict("there is a table called " + excerpt(name) + " already")
        .with_code("name_taken")
        .with_hint("Choose another name for the result.");
  }
  return {};
}

Result<QueryRequest> read_arguments(const DatasetTools& tools, const json::Object& arguments) {
  QueryRequest out;
  const json::Value* sql = arguments.find("sql");
  if (sql != nullptr && sql->if_string() != nullptr) {
    out.statements.push_back(*sql->if_string());
  } else if (sql != nullptr && sql->if_array() != nullptr) {
    for (const json::Value& one : *sql->if_array()) out.statements.push_back(*one.if_string());
  }
  if (out.statements.empty() || out.statements.size() > kStatementsMax) {
    return invalid_input("sql: one statement, or a list of up to 16")
        .with_code("invalid_arguments")
        .with_hint("Pass the text of a SELECT.");
  }
  const json::ObjectReader in(arguments, "");
  SLUICE_TRY(const std::optional<std::string> name, in.optional_string("name"));
  if (name) {
    if (out.statements.size() > 1) {
      return invalid_input("name: one statement has a name, a list has none")
          .with_code("invalid_arguments")
          .with_hint("Ask for the named result in a call of its own.");
    }
    SLUICE_CHECK(check_name(tools, *name));
    out.style.name = *name;
  }
  SLUICE_TRY(const std::optional<std::string> format, in.optional_string("format"));
  out.style.is_json = format == "json";
  SLUICE_TRY(const std::optional<bool> exact, in.optional_bool("exact"));
  out.style.is_exact = exact.value_or(false);
  SLUICE_TRY(const std::optional<bool> explained, in.optional_bool("explain"));
  out.style.is_explained = explained.value_or(false);
  if (format && !out.style.is_json) {
    SLUICE_TRY(out.style.file, parse_format(tools, *format));
  }
  return out;
}

// 1234567 as 1,234,567.
std::string grouped(std::uint64_t number) {
  std::string out = std::to_string(number);
  for (std::size_t at = out.size(); at > 3; at -= 3) out.insert(at - 3, ",");
  return out;
}

std::string rows_text(std::uint64_t rows) { return grouped(rows) + (rows == 1 ? " row" : " rows"); }

std::string time_left(const DatasetTools& tools, const query::Snapshot& snapshot) {
  const auto left = snapshot.expires - tools.services().clock->now();
  const auto minutes = std::chrono::round<std::chrono::minutes>(left).count();
  if (left >= std::chrono::minutes(1)) return fmt::format("{} min", minutes);
  return fmt::format(
      "{} s", std::max<std::int64_t>(0, std::chrono::duration_cast<std::chrono::seconds>(left).count()));
}

protocol::Content link_to(const query::Snapshot& snapshot, query::Format format,
                          const std::optional<std::uint64_t>& bytes) {
  protocol::Resource resource;
  resource.uri = file_uri(snapshot, format);
  resource.name = "result";
  resource.mime_type = std::string(mime_type(format));
  resource.size = bytes;
  return {.body = protocol::ResourceLink{.resource = std::move(resource)}};
}

StatementAnswer tell(const DatasetTools& tools, const StatementStyle& asked, const Outcome& outcome,
                     const catalog::Context& context) {
  const query::Answer& answer = outcome.answer;
  StatementAnswer out;
  json::Array columns;
  for (const engine::Field& column : answer.columns) columns.emplace_back(column.name);
  out.meta = {{"rows", answer.row_count}, {"shown", answer.rows_shown}, {"columns", std::move(columns)}};
  if (answer.snapshot) {
    const query::Inventory inventory = tools.inventory_now();
    const std::string name =
        tools.results().keep(tools.owner_of(context), asked.name, answer.snapshot->id,
                             [&](std::string_view one) { return is_taken(inventory, one); });
    out.meta.set("handle", answer.snapshot->id);
    out.meta.set("name", name);
    const bool is_file = asked.file != query::Format::kJson;
    std::optional<Download> download;
    if (tools.services().download)
      download = tools.services().download(*answer.snapshot, {.format = asked.file, .name = name});
    if (download) out.meta.set("download", download_json(*download));
    if (is_file) {
      out.text =
          fmt::format("# {} in {}, also table {} ({})\n", rows_text(answer.row_count),
                      file_uri(*answer.snapshot, asked.file), name, time_left(tools, *answer.snapshot));
      if (download) out.text += fmt::format("# download: {}\n", download->url);
      out.link = link_to(*answer.snapshot, asked.file, outcome.file.bytes);
      for (const std::string& warning : answer.warnings) out.text += "# " + warning + "\n";
      return out;
    }
    if (answer.rows_shown < answer.row_count) {
      out.text = fmt::format("# {} of {} shown; all are in table {} ({})\n", grouped(answer.rows_shown),
                             rows_text(answer.row_count), name, time_left(tools, *answer.snapshot));
    } else {
      out.text = fmt::format("# kept as table {} ({})\n", name, time_left(tools, *answer.snapshot));
    }
  }
  for (const std::string& warning : answer.warnings) out.text += "# " + warning + "\n";
  out.text += answer.rows;
  return out;
}

// Which columns of a CSV are null in one of the first rows, by their places.
std::set<std::size_t> null_columns(std::string_view csv) {
  constexpr int kFirstRows = 3;
  std::set<std::size_t> out;
  bool is_quoted = false;
  bool is_empty = true;
  std::size_t column = 0;
  int row = 0;  // 0 is the header.
  for (std::size_t i = 0; i < csv.size() && row <= kFirstRows; ++i) {
    if (csv[i] == '"') is_quoted = !is_quoted;
    const bool ends = !is_quoted && (csv[i] == ',' || csv[i] == '\n');
    if (!ends) {
      is_empty = false;
      continue;
    }
    if (is_empty && row > 0) out.insert(column);
    column = csv[i] == '\n' ? 0 : column + 1;
    row += csv[i] == '\n' ? 1 : 0;
    is_empty = true;
  }
  return out;
}

// Of the columns that are null in one of the first groups, the first that the groups are made by. A group
// without a key is easily taken for the largest of them.
std::string null_group(const expression::Question& question, const query::Answer& answer) {
  const std::vector<expression::ColumnLineage>& columns = question.lineage.columns;
  if (!question.has_group_by || answer.columns.size() < 2 || columns.size() != answer.columns.size())
    return "";
  for (const std::size_t i : null_columns(answer.rows)) {
    if (i >= columns.size() || columns[i].origins.empty()) continue;
    const std::vector<expression::Origin>& origins = columns[i].origins;
    const bool is_key = std::none_of(origins.begin(), origins.end(), [](const expression::Origin& origin) {
      return origin.how == expression::Derivation::kAggregated;
    });
    if (is_key) return sql_spelling(answer.columns[i].name);
  }
  return "";
}

// The question that was asked instead, in a line. What it says in words is in `meta` as well.
StatementAnswer tell_question(const protocol::ToolResult& instead) {
  constexpr std::array<std::string_view, 4> kInWords = {"status", "question", "hint", "alternatives"};
  StatementAnswer out;
  const json::Value* status = instead.structured ? instead.structured->find("status") : nullptr;
  const json::Value* question = instead.structured ? instead.structured->find("question") : nullptr;
  const std::string words =
      status != nullptr && status->if_string() != nullptr ? *status->if_string() : "needs_confirmation";
  out.text =
      fmt::format("# {}: {} Add a filter, an aggregate or LIMIT, or pass confirm: true.\n", words,
                  question != nullptr && question->if_string() != nullptr ? *question->if_string() : "");
  out.meta = {{"status", words}};
  const json::Object* facts = instead.structured ? instead.structured->if_object() : nullptr;
  if (facts == nullptr) return out;
  for (const json::Member& member : *facts) {
    if (std::find(kInWords.begin(), kInWords.end(), member.key) == kInWords.end())
      out.meta.set(member.key, member.value);
  }
  return out;
}

// What a statement of a list may still use behind `text`, where `left` statements share the rest.
Budget share(const Budget& budget, std::string_view text, std::size_t left) {
  Budget out = budget;
  const auto rest = [&](std::uint64_t all, std::uint64_t used) {
    return std::max<std::uint64_t>(1, (all > used ? all - used : 0) / left);
  };
  out.bytes = rest(budget.bytes, text.size());
  out.tokens = rest(budget.tokens, estimate_tokens(text));
  return out;
}

// The answer. Rows are counted as four bytes a token while they are written; numbers have fewer. If all of
// the rows fit only by that count, they are asked for again as an answer that does not fit.
Result<Outcome> find_within(const DatasetTools& tools, const Subject& subject,
                            const expression::Question& question, const AnswerStyle& style,
                            const json::Object& arguments, catalog::Context& context) {
  SLUICE_TRY(Outcome outcome, find_answer(tools, subject, question, style, arguments, context));
  const bool is_whole =
      outcome.answer.rows_shown > 1 && outcome.answer.rows_shown == outcome.answer.row_count;
  const bool is_too_long =
      !outcome.instead && is_whole && estimate_tokens(outcome.answer.rows) > style.budget.tokens;
  if (!is_too_long) return outcome;
  AnswerStyle shorter = style;
  shorter.budget.bytes = std::min<std::uint64_t>(style.budget.bytes, outcome.answer.rows.size() - 1);
  return find_answer(tools, subject, question, shorter, arguments, context);
}

std::string error_text(const Error& error) {
  std::string out = fmt::format("# error {}: {}", error.code.empty() ? "failed" : error.code, error.message);
  if (!error.hint.empty()) out += " " + error.hint;
  return out + "\n";
}

}  // namespace

Result<StatementAnswer> run_statement(const DatasetTools& tools, const Statement& statement,
                                      const StatementStyle& asked, const Budget& budget,
                                      const json::Object& arguments, catalog::Context& context) {
  SLUICE_TRY(CheckedStatement checked, check_statement(tools, statement, context));
  const Subject& subject = checked.subject;
  const bool is_file = asked.file != query::Format::kJson;
  const std::vector<expression::TextEquality> equalities = checked.question.text_equalities;
  if (asked.is_explained) {
    return StatementAnswer{
        .text = asked.is_json ? json::to_text(explain_json(tools, checked)) : explain(tools, checked),
        .meta = {{"explained", true}}};
  }
  const AnswerStyle style{.shape = asked.is_json ? render::Shape::kRecords : render::Shape::kCsv,
                          .format = asked.file,
                          .digits = asked.is_exact ? render::Digits::kExact : render::Digits::kBrief,
                          .budget = budget,
                          .tries_first = true,
                          .is_kept = !asked.name.empty() || asked.is_step};
  SLUICE_TRY(const Outcome outcome, find_within(tools, subject, checked.question, style, arguments, context));
  if (outcome.instead) return tell_question(*outcome.instead);
  if (asked.is_step) {
    StatementAnswer step;
    if (outcome.answer.snapshot) step.handle = outcome.answer.snapshot->id;
    return step;
  }
  StatementAnswer told = tell(tools, asked, outcome, context);
  if (const std::string column = asked.is_json || is_file ? "" : null_group(checked.question, outcome.answer);
      !column.empty()) {
    told.text =
        fmt::format("# {0} is null in one of the first groups; {0} IS NOT NULL leaves it out\n", column) +
        told.text;
  }
  if (!asked.is_json && !is_file && statement.declared == nullptr) {
    told.text = tools.ordered_text().notes(checked.question, checked.read->parts(), subject.engine,
                                           limits_of(context)) +
                told.text;
  }
  if (outcome.answer.row_count == 0 && !asked.is_json && !is_file) {  // An empty array says it by itself.
    const std::string reason =
        why_empty({.tools = tools, .engine = *subject.engine, .declared = statement.declared}, equalities,
                  checked.read->parts(), limits_of(context));
    told.text = "# 0 rows" + (reason.empty() ? "" : "; " + reason) + "\n" + told.text;
  }
  return told;
}

Result<protocol::ToolResult> run_sql(const DatasetTools& tools, const json::Object& arguments,
                                     catalog::Context& context) {
  SLUICE_TRY(const QueryRequest asked, read_arguments(tools, arguments));
  std::vector<std::string> notes;
  const Budget budget = tools.budget(arguments, notes);
  protocol::ToolResult out;
  std::string text;
  for (const std::string& note : notes) text += "# " + note + "\n";
  json::Array metas;
  std::vector<protocol::Content> links;
  const bool is_list = asked.statements.size() > 1;
  for (std::size_t i = 0; i < asked.statements.size(); ++i) {
    const Budget own = share(budget, text, asked.statements.size() - i);
    Result<StatementAnswer> told =
        run_statement(tools, {.sql = asked.statements[i]}, asked.style, own, arguments, context);
    if (!told.ok() && (!is_list || told.error().kind == ErrorKind::kCancelled))
      return std::move(told).error();
    if (is_list) text += fmt::format("-- {}\n", i + 1);
    if (!told.ok()) {
      text += error_text(told.error());
      metas.push_back(json::Object{{"code", told.error().code}});
      continue;
    }
    text += told->text;
    if (!text.ends_with('\n')) text += '\n';
    metas.emplace_back(std::move(told->meta));
    if (told->link) links.push_back(*std::move(told->link));
  }
  out = protocol::text_result(std::move(text));
  for (protocol::Content& link : links) out.content.push_back(std::move(link));
  out.meta.set("sluice/result", is_list ? json::Value(std::move(metas)) : std::move(metas.front()));
  return out;
}

}  // namespace sluice::datasets::lean

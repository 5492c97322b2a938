#include "sql_failure.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sluice/base/text.h"

#include "sql_node.h"

namespace sluice::expression {

namespace {

constexpr std::size_t kExplanationBytesMax = 200;
constexpr std::size_t kColumnsListed = 8;
constexpr std::size_t kColumnBytesMax = 24;

// The name between the first two marks of `text` behind `begin`, where it begins so.
std::string quoted_after(std::string_view text, std::string_view begin) {
  if (!text.starts_with(begin)) return {};
  text.remove_prefix(begin.size());
  return std::string(text.substr(0, text.find('"')));
}

// The first columns that the statement can name, with their types.
std::string columns_hint(const ReadTables& tables) {
  std::string out;
  std::size_t count = 0;
  for (const auto& [name, table] : tables) {
    for (const engine::Field& column : table->columns) {
      if (++count > kColumnsListed) return out + ", ….";
      out += (out.empty() ? "The columns are " : ", ") + excerpt(column.name, kColumnBytesMax) + " " +
             excerpt(to_lower_ascii(engine::sql_name(column.type)), kColumnBytesMax);
    }
  }
  return out.empty() ? "No table is read." : out + ".";
}

// What to do about a name that no column has. In double quotes, it may have been meant as a text.
std::string unknown_column_hint(const std::string& unknown, const ReadTables& tables, std::string_view sql,
                                const SqlPlace& place) {
  std::vector<std::string> names;
  for (const auto& [name, table] : tables) {
    for (const engine::Field& column : table->columns) names.push_back(column.name);
  }
  const std::string nearest = nearest_name(unknown, names);
  std::string out = nearest.empty() ? columns_hint(tables) : "Did you mean " + nearest + "?";
  if (equal_ignoring_case(nearest, unknown)) out = "Another table of the statement has " + nearest + ".";
  if (place && *place < sql.size() && sql[*place] == '"')
    out += " A text stands in single quotes: " + engine::quote_text(excerpt(unknown)) + ".";
  return out;
}

// What to do about a message of the engine.
std::string failure_hint(std::string_view message, const ReadTables& tables) {
  if (message.starts_with("WHERE clause cannot contain aggregates"))
    return "Conditions on groups stand in HAVING, behind GROUP BY.";
  if (message.starts_with("WHERE clause cannot contain window functions"))
    return "Conditions on windows stand in QUALIFY.";
  std::string out = columns_hint(tables);
  if (message.starts_with("No function matches") && message.find("(VARCHAR") != std::string_view::npos)
    out += " Text that holds numbers is read by CAST(column AS DOUBLE).";
  return out;
}

// A name that columns of several tables have. The engine lists them: (use: "a.id" or "b.id").
std::optional<Error> ambiguous_column(std::string_view message, std::string_view sql,
                                      const json::Value& tree) {
  const std::string name = quoted_after(message, "Binder Error: Ambiguous reference to column name \"");
  if (name.empty()) return std::nullopt;
  constexpr std::string_view kUse = "(use: ";
  const std::size_t begin = message.find(kUse);
  std::string choices;
  if (begin != std::string_view::npos) {
    choices = std::string(message.substr(begin + kUse.size()));
    choices.resize(std::min(choices.size(), choices.rfind(')')));
    choices.erase(std::remove(choices.begin(), choices.end(), '"'), choices.end());
  }
  return at_place(invalid_input("ambiguous column: " + excerpt(name))
                      .with_code("ambiguous_column")
                      .with_hint(choices.empty() ? "Write the name of its table before it."
                                                 : "Write " + excerpt(choices, kExplanationBytesMax) + "."),
                  sql, place_of_column(tree, name));
}

// A column of a statement with groups that differs within a group.
std::optional<Error> ungrouped_column(std::string_view message, std::string_view sql,
                                      const json::Value& tree) {
  const std::string name = quoted_after(message, "Binder Error: column \"");
  if (name.empty() || message.find("must appear in the GROUP BY clause") == std::string_view::npos)
    return std::nullopt;
  const std::string quoted = engine::quote_name(excerpt(name));
  return at_place(invalid_input(excerpt(name) + " is neither grouped nor aggregated")
                      .with_code("ungrouped_column")
                      .with_hint(fmt::format(
                          "Add {0} to GROUP BY, or take one value of each group: any_value({0}).", quoted)),
                  sql, place_of_column(tree, name));
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// The word that a text ends with, or the sign if there is none.
std::string_view before(std::string_view text) {
  while (!text.empty() &&
         (text.back() == ' ' || text.back() == '\n' || text.back() == '\t' || text.back() == '\r'))
    text.remove_suffix(1);
  std::size_t size = 0;
  while (size < text.size() && is_word(text[text.size() - size - 1])) ++size;
  return text.substr(text.size() - std::max<std::size_t>(size, text.empty() ? 0 : 1));
}

// Whether one of the words, or a sign, stands there.
template <std::size_t kCount>
bool is_among(std::string_view word, const std::array<std::string_view, kCount>& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view one) { return equal_ignoring_case(one, word); });
}

// The keyword at which the parser stopped, or the one before, which waited for BY, if a name may stand there.
// Empty: there is none.
std::string_view keyword_for_name(std::string_view sql, std::uint64_t place) {
  // Words that go on with the statement: what is wrong stands before them.
  constexpr std::array<std::string_view, 14> kGoesOn = {"from",      "where", "having", "qualify", "limit",
                                                        "union",     "join",  "inner",  "select",  "except",
                                                        "intersect", "on",    "as",     "then"};
  constexpr std::array<std::string_view, 2> kBeforeBy = {"order", "group"};
  constexpr std::array<std::string_view, 11> kBeforeNames = {
      "from", "join", "select", "distinct", "by", "where", "and", "or", "on", ",", "."};
  const std::string_view left = before(sql.substr(0, place));
  if (is_among(left, kBeforeBy)) {
    const auto begin = static_cast<std::size_t>(left.data() - sql.data());
    return is_among(before(sql.substr(0, begin)), kBeforeNames) ? left : std::string_view();
  }
  std::size_t size = 0;
  while (place + size < sql.size() && is_word(sql[place + size])) ++size;
  const std::string_view word = sql.substr(place, size);
  const bool is_number = !word.empty() && word.front() >= '0' && word.front() <= '9';
  if (word.empty() || is_number || is_among(word, kGoesOn)) return {};
  return is_among(left, kBeforeNames) ? word : std::string_view();
}

}  // namespace

Error binding_failure(const Error& error, const ReadTables& tables, std::string_view sql,
                      const json::Value& tree) {
  if (error.kind != ErrorKind::kInvalidInput && error.kind != ErrorKind::kUnsupported) return error;
  std::string_view message = error.message;
  if (std::optional<Error> known = ambiguous_column(message, sql, tree)) return *std::move(known);
  if (std::optional<Error> known = ungrouped_column(message, sql, tree)) return *std::move(known);
  std::string unknown = quoted_after(message, "Binder Error: Referenced column \"");
  if (unknown.empty()) {
    const std::size_t at = message.find("does not have a column named \"");
    if (at != std::string_view::npos) {
      unknown = quoted_after(message.substr(at), "does not have a column named \"");
    }
  }
  if (unknown.empty()) {
    const std::size_t colon = message.find(" Error: ");
    if (colon != std::string_view::npos) message.remove_prefix(colon + 8);
    return at_place(invalid_input("this SQL does not work: " + excerpt(message, kExplanationBytesMax))
                        .with_code("invalid_sql")
                        .with_hint(failure_hint(message, tables)),
                    sql, place_of_function(tree, message));
  }
  const SqlPlace place = place_of_column(tree, unknown);
  return at_place(invalid_input("unknown column: " + excerpt(unknown))
                      .with_code("invalid_column")
                      .with_hint(unknown_column_hint(unknown, tables, sql, place)),
                  sql, place);
}

Error refusal_at(Error error, std::string_view sql, const SqlPlace& place) {
  const bool is_parsers = error.message.starts_with(kNotParsed);
  const std::string_view word =
      is_parsers && place && *place <= sql.size() ? keyword_for_name(sql, *place) : std::string_view();
  if (!word.empty())
    error.hint =
        fmt::format("{0} is a keyword. If it is a name, write it in double quotes: \"{0}\".", excerpt(word));
  return at_place(std::move(error), sql, place);
}

}  // namespace sluice::expression

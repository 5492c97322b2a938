#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/datasets/sql_spelling.h"
#include "sluice/datasets/table_spellings.h"
#include "sluice/json/object_reader.h"
#include "sluice/query/statement.h"
#include "sluice/text/letter_case.h"

#include "lean/lean_tools.h"
#include "lean/profile_store.h"
#include "lean/table_list.h"
#include "lean/token_estimate.h"

namespace sluice::datasets::lean {

namespace {

constexpr std::uint64_t kCatalogTokens = 1'200;
constexpr std::chrono::milliseconds kSearchTime{1'000};  // For values, if nothing else matches.
constexpr std::size_t kSearchedTables = 200;
constexpr std::size_t kValuesListed = 20;

struct Search {
  std::vector<std::string> words;  // In lower case; all must occur.

  bool is_in(std::string_view text) const {
    const std::string lower = text::to_lower(text);
    return std::all_of(words.begin(), words.end(),
                       [&](const std::string& word) { return lower.find(word) != std::string::npos; });
  }
};

Search read_search(std::string_view match) {
  Search out;
  std::string word;
  for (const char c : text::to_lower(match) + ' ') {
    if (c != ' ') {
      word += c;
    } else if (!word.empty()) {
      out.words.push_back(std::exchange(word, {}));
    }
  }
  return out;
}

// What names a table: the words of its line without numbers of rows and types.
std::string searched_text(const TableEntry& entry) {
  std::string out = entry.name + " " + entry.full_name + " " + entry.dimensions + " " + entry.description;
  for (const ColumnProfile& column : entry.columns) out += " " + column.path;
  return out;
}

// How many rows of each column of text contain all words: the columns that have any, as lines.
Result<std::string> values_found(const DatasetTools& tools, const query::DatasetPtr& dataset,
                                 const TableSpellings& spellings, const Search& search,
                                 const engine::RunLimits& limits) {
  Subject subject;
  subject.dataset = dataset;
  SLUICE_TRY(subject.engine, tools.services().engines->get());
  SLUICE_TRY(subject.table, tools.services().tables->get(*subject.engine, *dataset, limits));
  expression::Question question;
  std::vector<std::string> names;
  for (const std::string& word : search.words) question.parameters.emplace_back(word);
  for (const engine::Field& column : subject.table->columns) {
    if (column.type.id != engine::TypeId::kText) continue;
    std::string condition;
    for (std::size_t i = 0; i < search.words.size(); ++i)
      condition += fmt::format("{}contains(lower({}), lower(${}))", i == 0 ? "" : " AND ",
                               engine::quote_name(column.name), i + 1);
    question.sql +=
        fmt::format("{}count(CASE WHEN {} THEN 1 END)", names.empty() ? "SELECT " : ", ", condition);
    names.push_back(column.name);
  }
  if (names.empty()) return std::string();
  question.sql += " FROM data";
  SLUICE_TRY(const query::Relation relation, dataset->open(*subject.table, limits, &question));
  SLUICE_TRY(
      const std::unique_ptr<engine::Rows> rows,
      subject.engine->query(query::statement_of(question, *subject.table, relation, std::nullopt), limits));
  SLUICE_TRY(const engine::Batch* batch, rows->next());
  std::string out;
  for (std::size_t i = 0; batch != nullptr && i < names.size(); ++i) {
    if (const auto count = batch->columns[i].at<std::int64_t>(0); count > 0)
      out += fmt::format("{}.{} {} row{}\n", spellings.of(dataset->name()), sql_spelling(names[i]), count,
                         count == 1 ? "" : "s");
  }
  return out;
}

// Searches the values of text columns, as far as that is done in time.
std::string search_values(const DatasetTools& tools, const query::Inventory& inventory, const Search& search,
                          std::string_view match, const catalog::Context& context) {
  engine::RunLimits limits = limits_of(context);
  limits.deadline = std::min(limits.deadline, system_clock().now() + kSearchTime);
  const TableSpellings spellings(inventory);
  std::string found;
  std::size_t searched = 0;
  bool is_cut = inventory.size() > kSearchedTables;
  for (const query::DatasetPtr& dataset : inventory.datasets()) {
    if (searched == kSearchedTables) break;
    const Result<std::string> lines = values_found(tools, dataset, spellings, search, limits);
    if (lines.ok()) {
      found += *lines;
      ++searched;
    }
    is_cut = is_cut || (!lines.ok() && lines.error().kind == ErrorKind::kDeadline);
    if (is_cut && !lines.ok()) break;
    if (std::count(found.begin(), found.end(), '\n') >= static_cast<std::ptrdiff_t>(kValuesListed)) break;
  }
  std::string out = fmt::format("# no table, column or description matches {}", excerpt(match));
  out += found.empty() ? "; no value of a text column either" : "; values of these columns do";
  if (is_cut) out += fmt::format(" ({} of {} tables searched)", searched, inventory.size());
  return out + "\n" + found;
}

// The lines with all of the detail, or less of it, if they fit as a whole.
std::string fit_as_a_whole(const std::vector<TableEntry>& entries, std::uint64_t tokens) {
  for (const Detail detail : {Detail::kDescription, Detail::kTypes, Detail::kColumns}) {
    std::string out;
    for (const TableEntry& entry : entries) out += line_of(entry, detail) + "\n";
    if (estimate_tokens(out) <= tokens) return out;
  }
  return {};
}

// Says how many tables lack columns because time was over. Empty: none does.
std::string unknown_columns_note(const std::vector<TableEntry>& entries) {
  const auto count =
      std::count_if(entries.begin(), entries.end(), [](const TableEntry& entry) { return entry.is_pending; });
  return count == 0 ? ""
                    : fmt::format("# columns of {} table{} are not known yet: ask again\n", count,
                                  count == 1 ? "" : "s");
}

std::uint64_t line_tokens(const TableEntry& entry, Detail detail) {
  return estimate_tokens(line_of(entry, detail) + "\n");
}

// The lines that fit, each with as much detail as there is room for.
std::string fit_entries(const std::vector<TableEntry>& entries, std::uint64_t tokens,
                        std::string_view match) {
  if (std::string whole = fit_as_a_whole(entries, tokens); !whole.empty()) return whole;
  std::vector<Detail> details(entries.size(), Detail::kName);
  std::uint64_t used = 0;
  std::size_t listed = 0;
  for (; listed < entries.size(); ++listed) {
    const std::uint64_t more = line_tokens(entries[listed], Detail::kName);
    if (used + more + kNoteTokens > tokens && listed > 0) break;
    used += more;
  }
  std::size_t with_columns = 0;
  for (const Detail detail : {Detail::kColumns, Detail::kTypes, Detail::kDescription}) {
    for (std::size_t i = 0; i < listed && listed == entries.size(); ++i) {
      const std::uint64_t less = line_tokens(entries[i], details[i]);
      const std::uint64_t more = line_tokens(entries[i], detail);
      if (used - less + more + kNoteTokens > tokens) continue;
      used = used - less + more;
      details[i] = detail;
      with_columns += detail == Detail::kColumns ? 1 : 0;
    }
  }
  std::string out;
  for (std::size_t i = 0; i < listed; ++i) out += line_of(entries[i], details[i]) + "\n";
  if (listed < entries.size()) {
    out += fmt::format("# {} more tables: pass {}max_tokens\n", entries.size() - listed,
                       match.empty() ? "match or a larger " : "a larger ");
  } else if (with_columns < entries.size()) {
    out += fmt::format("# columns of {} tables left out: describe them, or pass {}max_tokens\n",
                       entries.size() - with_columns, match.empty() ? "match or a larger " : "a larger ");
  }
  return out;
}

}  // namespace

Result<protocol::ToolResult> list_tables(const DatasetTools& tools, const json::Object& arguments,
                                         catalog::Context& context) {
  const json::ObjectReader in(arguments, "");
  SLUICE_TRY(const std::optional<std::string> match, in.optional_string("match"));
  const std::uint64_t tokens = std::max(kTokensMin, tokens_of_call(tools, arguments, kCatalogTokens));
  const query::Inventory inventory = tools.inventory();
  std::vector<TableEntry> entries = table_entries(tools, inventory, context);
  const Search search = read_search(match.value_or(""));
  if (!search.words.empty()) {
    const auto is_other = [&](const TableEntry& entry) { return !search.is_in(searched_text(entry)); };
    entries.erase(std::remove_if(entries.begin(), entries.end(), is_other), entries.end());
    if (entries.empty())
      return protocol::text_result(search_values(tools, inventory, search, *match, context));
  }
  if (entries.empty()) return protocol::text_result("# there are no tables\n");
  tools.profiles().prefetch(small_tables(inventory));  // They are likely to be described next.
  std::string note = unknown_columns_note(entries);
  if (tokens < kTokensMin + estimate_tokens(note)) note.clear();
  const std::uint64_t left = tokens - estimate_tokens(note);
  return protocol::text_result(fit_entries(entries, left, match.value_or("")) + note);
}

}  // namespace sluice::datasets::lean

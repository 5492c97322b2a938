#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sluice/base/text.h"
#include "sluice/catalog/tool_rules.h"
#include "sluice/datasets/sql_spelling.h"
#include "sluice/datasets/table_spellings.h"
#include "sluice/json/object_reader.h"

#include "lean/join_hints.h"
#include "lean/lean_tools.h"
#include "lean/profile_store.h"
#include "lean/table_finder.h"
#include "lean/table_list.h"
#include "lean/token_estimate.h"

namespace sluice::datasets::lean {

namespace {

using query::DatasetPtr;

constexpr std::uint64_t kDescribeTokens = 1'500;
// Default if more tables are described than somebody reads in detail, and how many these are.
constexpr std::uint64_t kOverviewTokens = 850;
constexpr std::size_t kOverviewTables = 12;
constexpr std::size_t kDescribedMax = 200;
constexpr std::size_t kColumnsNamed = 20;  // If the call names none that there is.
// More are described without examples and counts, unless the call says how much it wants to read.
constexpr std::size_t kFewTables = 4;
constexpr std::array<std::string_view, 5> kKeyEndings = {"id", "key", "code", "no", "number"};

// How much is said of each column, from little to much.
enum class Depth : std::uint8_t { kTypes, kPitfalls, kRanges, kAll };

// A table that is described.
struct Described {
  std::string name;  // As SQL spells it.
  DatasetPtr dataset;
  std::shared_ptr<const query::Table> table;  // Null: it cannot be read.
  ProfilePtr profile;                         // Null: not known.
  bool is_pending = false;                    // Its statistics are still computed.
  std::string problem;                        // Why it cannot be read.
};

bool is_glob(std::string_view text) { return text.find_first_of("*?") != std::string_view::npos; }

Error no_match(std::string_view pattern) {
  return not_found(fmt::format("no table matches {}", excerpt(pattern)))
      .with_code("dataset_not_found")
      .with_hint("catalog lists the tables.");
}

// The tables that the call names, each once.
Result<std::vector<Described>> find_tables(const DatasetTools& tools, const std::vector<std::string>& names,
                                           const catalog::Context& context) {
  SLUICE_TRY(std::shared_ptr<engine::Engine> engine, tools.services().engines->get());
  TableFinder finder(tools, engine, context);
  const query::Inventory inventory = tools.inventory();
  const TableSpellings spellings(inventory);
  std::vector<Described> out;
  std::set<std::string> seen;
  const auto add = [&](const DatasetPtr& dataset, std::string name) {
    if (out.size() < kDescribedMax && seen.insert(name).second)
      out.push_back({.name = std::move(name),
                     .dataset = dataset,
                     .table = {},
                     .profile = {},
                     .is_pending = false,
                     .problem = {}});
  };
  for (const std::string& name : names) {
    if (!is_glob(name)) {
      SLUICE_TRY(const DatasetPtr dataset, finder.locate_written(name));
      add(dataset, inventory.find(dataset->name()) ? spellings.of(dataset->name()) : name);
      continue;
    }
    bool has_match = false;
    const std::string pattern = to_lower_ascii(name);
    for (const DatasetPtr& dataset : inventory.datasets()) {
      const std::string spelling = spellings.of(dataset->name());
      if (!catalog::matches_glob(pattern, to_lower_ascii(dataset->name())) &&
          !catalog::matches_glob(pattern, to_lower_ascii(spelling)))
        continue;
      has_match = true;
      add(dataset, spelling);
    }
    if (!has_match) return no_match(name);
  }
  for (Described& one : out) {
    Result<std::shared_ptr<const query::Table>> table = finder.table_of(one.dataset);
    // One file that cannot be read does not hide the others.
    if (!table.ok() && out.size() == 1) return table.error();
    if (table.ok()) {
      one.table = *std::move(table);
    } else {
      one.problem = excerpt(table.error().message);
    }
  }
  return out;
}

std::string values_text(const ColumnProfile& column, Depth depth) {
  std::string out;
  const std::size_t most = depth == Depth::kAll ? column.values.size() : std::size_t{4};
  for (std::size_t i = 0; i < column.values.size() && i < most; ++i) {
    out += (out.empty() ? "" : ", ") + column.values[i].value;
    if (depth == Depth::kAll && !column.is_key) out += fmt::format(" {}", column.values[i].count);
  }
  if (most < column.values.size()) out += fmt::format(", … {}", column.values.size());
  return out;
}

// Whether a column without repeated values is worth calling a key: measurements are often unique by chance.
bool names_rows(const ColumnProfile& column) {
  if (!column.is_key || !engine::is_integer(column.type.id)) return column.is_key;
  const std::string name = to_lower_ascii(column.path);
  return std::any_of(kKeyEndings.begin(), kKeyEndings.end(),
                     [&](std::string_view ending) { return name.ends_with(ending); });
}

// "; 232 distinct", with two digits and ~ if that is an estimate. Empty: not known.
std::string distinct_text(const ColumnProfile& column) {
  if (column.distinct == 0) return "";
  if (column.has_exact_distinct) return fmt::format("; {} distinct", column.distinct);
  std::uint64_t unit = 1;
  while (column.distinct / unit >= 100) unit *= 10;
  return fmt::format("; ~{} distinct", column.distinct / unit * unit);
}

std::string profile_text(const ColumnProfile& column, const std::string& join, Depth depth) {
  std::string out = typed_path(column);
  if (names_rows(column) && depth == Depth::kAll) out += " key";
  const bool has_values = depth >= Depth::kRanges && !column.values.empty();
  const bool has_range = depth >= Depth::kRanges && !has_values && !column.least.empty();
  if (has_values) out += ": " + values_text(column, depth);
  if (has_range) {
    out += column.least == column.greatest ? " " + column.least
                                           : fmt::format(" {}..{}", column.least, column.greatest);
  }
  if (depth == Depth::kAll && !has_values && !has_range && !column.example.empty())
    out += " e.g. " + column.example;
  if (depth == Depth::kAll && !has_values && !column.is_key) out += distinct_text(column);
  if (depth == Depth::kAll && column.nulls.value_or(0) > 0) out += fmt::format("; {} null", *column.nulls);
  if (!join.empty()) out += "; = " + join;
  if (!column.pitfall.empty()) out += "; " + column.pitfall;
  return out;
}

// A path without the quotes around its names.
std::string without_quotes(std::string_view path) {
  std::string out;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] != '"') {
      out += path[i];
    } else if (i + 1 < path.size() && path[i + 1] == '"') {
      out += path[++i];
    }
  }
  return out;
}

bool is_wanted(const ColumnProfile& column, const std::vector<std::string>& wanted) {
  return wanted.empty() || std::any_of(wanted.begin(), wanted.end(), [&](const std::string& one) {
           const std::string lower = to_lower_ascii(column.path);
           const std::string plain = to_lower_ascii(without_quotes(column.path));
           const std::string name = to_lower_ascii(one);
           return lower == name || lower == to_lower_ascii(sql_spelling(one)) || plain == name ||
                  lower.starts_with(name + ".") || plain.starts_with(name + ".") ||
                  (is_glob(name) && catalog::matches_glob(name, plain));
         });
}

// One table: a line with its rows, then its columns.
std::string table_text(const Described& table, const std::vector<std::string>& wanted, const JoinHints& joins,
                       Depth depth) {
  if (!table.table) return fmt::format("{} unreadable: {}\n", table.name, table.problem);
  std::string out = fmt::format("{} {} rows\n", table.name, rows_word(*table.dataset));
  if (depth >= Depth::kPitfalls) {
    if (!table.dataset->collection().unit.empty())
      out += fmt::format("unit: {}\n", excerpt(table.dataset->collection().unit));
    for (const std::string& note : table.table->notes) out += excerpt(note, 200) + "\n";
  }
  const std::vector<ColumnProfile> bare =
      table.profile ? std::vector<ColumnProfile>() : column_paths(table.table->columns);
  const std::vector<ColumnProfile>& columns = table.profile ? table.profile->columns : bare;
  const bool has_types_alone = depth == Depth::kTypes || !table.profile;
  const std::string_view separator = has_types_alone ? ", " : "\n";
  std::string list;
  for (const ColumnProfile& column : columns) {
    if (!is_wanted(column, wanted)) continue;
    list += list.empty() ? "" : separator;
    list += has_types_alone ? typed_path(column)
                            : profile_text(column, joins.of(table.dataset->name(), column), depth);
  }
  if (list.empty()) {
    list = "no such column; there are ";
    for (std::size_t i = 0; i < columns.size() && i < kColumnsNamed; ++i)
      list += (i == 0 ? "" : ", ") + columns[i].path;
    if (columns.size() > kColumnsNamed) list += ", …";
  }
  return out + list + "\n";
}

// As many columns of one table as fit, with types alone.
std::string first_columns(const Described& table, const std::vector<std::string>& wanted,
                          std::uint64_t tokens) {
  constexpr std::string_view kNote =
      "\n# columns left out: name those you need in columns, or pass a larger max_tokens\n";
  std::string out = fmt::format("{} {} rows", table.name, rows_word(*table.dataset));
  if (!table.table) return out + "\n";
  std::string_view separator = "\n";
  for (const ColumnProfile& column : column_paths(table.table->columns)) {
    if (!is_wanted(column, wanted)) continue;
    std::string more = std::string(separator) + typed_path(column);
    if (estimate_tokens(out + more) + estimate_tokens(kNote) > tokens) break;
    out += more;
    separator = ", ";
  }
  return out + std::string(kNote);
}

// Says how many tables lack statistics because time was over. Empty: none does.
std::string unknown_values_note(const std::vector<Described>& tables) {
  const auto count =
      std::count_if(tables.begin(), tables.end(), [](const Described& table) { return table.is_pending; });
  return count == 0 ? ""
                    : fmt::format("# values of {} table{} are not known yet: ask again\n", count,
                                  count == 1 ? "" : "s");
}

// The tables at a depth, each with what it takes.
struct TableTexts {
  std::vector<std::string> texts;
  std::vector<std::uint64_t> tokens;

  std::uint64_t all_tokens() const { return std::accumulate(tokens.begin(), tokens.end(), std::uint64_t{0}); }
  std::string joined() const { return fmt::format("{}", fmt::join(texts, "")); }
};

TableTexts texts_at(const std::vector<Described>& tables, const std::vector<std::string>& wanted,
                    const JoinHints& joins, Depth depth) {
  TableTexts out;
  for (const Described& table : tables) {
    out.texts.push_back(table_text(table, wanted, joins, depth));
    out.tokens.push_back(estimate_tokens(out.texts.back()));
  }
  return out;
}

Depth previous(Depth depth) { return static_cast<Depth>(static_cast<int>(depth) - 1); }

// Replaces texts by those of `deeper`, in the order of the call, while they fit. Returns how many stay as
// they are.
std::size_t deepen(TableTexts& shown, TableTexts deeper, std::uint64_t tokens) {
  std::uint64_t used = shown.all_tokens();
  std::size_t left_out = 0;
  for (std::size_t i = 0; i < shown.texts.size(); ++i) {
    const std::uint64_t others = used - shown.tokens[i];
    if (others + deeper.tokens[i] <= tokens) {
      used = others + deeper.tokens[i];
      shown.texts[i] = std::move(deeper.texts[i]);
    } else {
      ++left_out;
    }
  }
  return left_out;
}

std::string values_left_out(std::size_t left_out, std::size_t all) {
  if (left_out == 0) return "";
  const std::string of =
      left_out == all ? "" : fmt::format(" of {} table{}", left_out, left_out == 1 ? "" : "s");
  return fmt::format("# values and ranges{} left out: describe fewer tables or columns, or pass max_tokens\n",
                     of);
}

// As much detail as fits, `most` of it: of all tables alike, and a step more of those where it still fits. If
// even types do not fit, the tables that do.
std::string fit_tables(const std::vector<Described>& tables, const std::vector<std::string>& wanted,
                       const JoinHints& joins, std::uint64_t tokens, Depth most) {
  TableTexts deeper = texts_at(tables, wanted, joins, most);
  if (deeper.all_tokens() <= tokens) return deeper.joined();
  const std::uint64_t beside_note = tokens - std::min(tokens, kNoteTokens);
  for (Depth depth = most; depth != Depth::kTypes;) {
    depth = previous(depth);
    TableTexts shown = texts_at(tables, wanted, joins, depth);
    if (shown.all_tokens() <= beside_note) {
      const std::size_t left_out = deepen(shown, std::move(deeper), beside_note);
      return shown.joined() + values_left_out(left_out, tables.size());
    }
    deeper = std::move(shown);
  }
  std::string out;
  std::size_t listed = 0;
  std::uint64_t used = 0;
  for (; listed < tables.size(); ++listed) {
    used += deeper.tokens[listed];
    if (used > beside_note) break;
    out += deeper.texts[listed];
  }
  if (listed == 0) return first_columns(tables.front(), wanted, tokens);
  if (listed < tables.size())
    out += fmt::format("# {} more tables: describe fewer, or pass a larger max_tokens\n",
                       tables.size() - listed);
  return out;
}

}  // namespace

Result<protocol::ToolResult> describe_tables(const DatasetTools& tools, const json::Object& arguments,
                                             catalog::Context& context) {
  const json::ObjectReader in(arguments, "");
  SLUICE_TRY(const std::vector<std::string> names, in.optional_strings("datasets"));
  SLUICE_TRY(const std::vector<std::string> wanted, in.optional_strings("columns"));
  if (names.empty()) {
    return invalid_input("datasets: the list is empty")
        .with_code("invalid_arguments")
        .with_hint("Pass names of tables, or globs such as *.");
  }
  SLUICE_TRY(std::vector<Described> tables, find_tables(tools, names, context));
  const std::uint64_t usual = tables.size() > kOverviewTables ? kOverviewTokens : kDescribeTokens;
  const std::uint64_t tokens = std::max(kTokensMin, tokens_of_call(tools, arguments, usual));
  std::vector<DatasetPtr> datasets;
  const Monotonic counted_by = system_clock().now() + kCountTime;
  for (const Described& table : tables) {
    table.dataset->count_quickly(counted_by);
    datasets.push_back(table.dataset);
  }
  const std::vector<ProfileStore::Found> found =
      tools.profiles().get(datasets, tools.services().statistics_wait, context.stop());
  for (std::size_t i = 0; i < tables.size(); ++i) {
    tables[i].profile = found[i].profile;
    tables[i].is_pending = tables[i].table != nullptr && found[i].is_pending;
  }
  const query::Inventory inventory = tools.inventory();
  tools.profiles().prefetch(small_tables(inventory));
  const JoinHints joins(tools.profiles().known(), inventory);
  const bool is_brief = tables.size() > kFewTables && arguments.find("max_tokens") == nullptr;
  std::string note = unknown_values_note(tables);
  if (tokens < kTokensMin + estimate_tokens(note)) note.clear();
  const std::uint64_t left = tokens - estimate_tokens(note);
  return protocol::text_result(
      fit_tables(tables, wanted, joins, left, is_brief ? Depth::kRanges : Depth::kAll) + note);
}

}  // namespace sluice::datasets::lean

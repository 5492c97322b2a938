#include "layout.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <string_view>

#include "sluice/base/text.h"
#include "sluice/engine/utf8_repair.h"

#include "column_types.h"

namespace sluice::engine::sqlite {

namespace {

std::string text_at(sqlite3_stmt* row, int index) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(row, index));
  if (text == nullptr) return {};
  return repair_utf8({text, static_cast<std::size_t>(sqlite3_column_bytes(row, index))});
}

// Calls `each` for every row of one of our own statements.
template <typename Each>
Status for_each(Session& session, const Statement& statement, Each each) {
  SLUICE_TRY(const Prepared prepared, session.prepare(statement, Author::kProgram));
  while (true) {
    SLUICE_TRY(const bool has_row, session.step(prepared.get()));
    if (!has_row) return {};
    SLUICE_CHECK(each(prepared.get()));
  }
}

// As ANALYZE counted them; a table has a line for each index, beginning with the number of rows.
Result<std::map<std::string, std::uint64_t>> counted_rows(Session& session) {
  std::map<std::string, std::uint64_t> counts;
  bool is_analyzed = false;
  SLUICE_CHECK(for_each(session, {"SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat1'", {}},
                        [&](sqlite3_stmt*) -> Status {
                          is_analyzed = true;
                          return {};
                        }));
  if (!is_analyzed) return counts;
  SLUICE_CHECK(
      for_each(session, {"SELECT tbl, stat FROM sqlite_stat1", {}}, [&](sqlite3_stmt* row) -> Status {
        const std::string stat = text_at(row, 1);
        std::uint64_t count = 0;
        if (std::from_chars(stat.data(), stat.data() + stat.size(), count).ec == std::errc()) {
          std::uint64_t& known = counts[text_at(row, 0)];
          known = std::max(known, count);  // That of a partial index is less.
        }
        return {};
      }));
  return counts;
}

struct Listed {
  TableSummary summary;
  bool is_virtual = false;
  bool has_rowid = false;
};

// Without the tables of SQLite itself and those in which virtual tables keep their data.
Result<std::vector<Listed>> listed_tables(Session& session) {
  SLUICE_TRY(const auto counts, counted_rows(session));
  std::vector<Listed> tables;
  SLUICE_CHECK(
      for_each(session,
               {"SELECT name, type, wr FROM pragma_table_list WHERE schema = 'main' AND type <> 'shadow' AND "
                "name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
                {}},
               [&](sqlite3_stmt* row) -> Status {
                 if (tables.size() >= kTablesMax) return limit_reached("tables in one database", kTablesMax);
                 const std::string type = text_at(row, 1);
                 Listed table;
                 table.summary.name = {.schema = {}, .name = text_at(row, 0)};
                 table.summary.kind = type == "view" ? TableKind::kView : TableKind::kTable;
                 table.is_virtual = type == "virtual";
                 table.has_rowid = type == "table" && sqlite3_column_int(row, 2) == 0;
                 const auto counted = counts.find(table.summary.name.name);
                 if (counted != counts.end()) table.summary.rows_guess = counted->second;
                 tables.push_back(std::move(table));
                 return {};
               }));
  return tables;
}

Result<Listed> find_table(Session& session, const TableName& table) {
  SLUICE_TRY(const std::vector<Listed> tables, listed_tables(session));
  std::vector<std::string> names;
  for (const Listed& listed : tables) {
    if (listed.summary.name == table) return listed;
    names.push_back(listed.summary.name.name);
  }
  const std::string nearest = nearest_name(table.name, names);
  return not_found("find table: " + excerpt(table.name))
      .with_code("table_not_found")
      .with_hint(nearest.empty() ? "The list of tables names all there are."
                                 : "Did you mean " + excerpt(nearest) + "?");
}

Status read_columns(Session& session, TableLayout& layout) {
  std::map<int, std::string> key;
  SLUICE_CHECK(for_each(
      session,
      {"SELECT name, type, \"notnull\", dflt_value, pk, hidden FROM pragma_table_xinfo($1) WHERE hidden <> 1",
       {layout.summary.name.name}},
      [&](sqlite3_stmt* row) -> Status {
        TableColumn column;
        column.name = text_at(row, 0);
        column.declared = text_at(row, 1);
        column.nullable = sqlite3_column_int(row, 2) == 0;
        column.default_sql = text_at(row, 3);
        column.generated = sqlite3_column_int(row, 5) > 1;
        column.select = quote_name(column.name);
        if (const int place = sqlite3_column_int(row, 4); place > 0) key[place] = column.name;
        layout.columns.push_back(std::move(column));
        return {};
      }));
  for (const auto& [place, name] : key) layout.primary_key.push_back(name);
  return {};
}

Status read_indexes(Session& session, TableLayout& layout) {
  return for_each(
      session,
      {"SELECT l.name, l.\"unique\", i.name, i.cid FROM pragma_index_list($1) l, pragma_index_info(l.name) i "
       "WHERE l.origin <> 'pk' ORDER BY l.seq, i.seqno",
       {layout.summary.name.name}},
      [&](sqlite3_stmt* row) -> Status {
        std::string name = text_at(row, 0);
        if (layout.indexes.empty() || layout.indexes.back().name != name) {
          layout.indexes.push_back(
              {.name = std::move(name), .columns = {}, .unique = sqlite3_column_int(row, 1) != 0});
        }
        // SQLite does not tell the text of an expression here.
        layout.indexes.back().columns.push_back(sqlite3_column_type(row, 2) == SQLITE_NULL ? "(expression)"
                                                                                           : text_at(row, 2));
        return {};
      });
}

Status read_foreign_keys(Session& session, TableLayout& layout) {
  int last = -1;
  return for_each(session,
                  {"SELECT id, \"table\", \"from\", \"to\" FROM pragma_foreign_key_list($1) ORDER BY id, seq",
                   {layout.summary.name.name}},
                  [&](sqlite3_stmt* row) -> Status {
                    if (layout.foreign_keys.empty() || sqlite3_column_int(row, 0) != last) {
                      layout.foreign_keys.emplace_back().target = {.schema = {}, .name = text_at(row, 1)};
                    }
                    last = sqlite3_column_int(row, 0);
                    layout.foreign_keys.back().columns.push_back(text_at(row, 2));
                    if (std::string target = text_at(row, 3); !target.empty()) {
                      layout.foreign_keys.back().target_columns.push_back(std::move(target));
                    }
                    return {};
                  });
}

// A column may have one of the names by which the row's own number is known.
std::string row_number_name(const TableLayout& layout) {
  for (const std::string_view name : {"rowid", "_rowid_", "oid"}) {
    const bool is_taken =
        std::any_of(layout.columns.begin(), layout.columns.end(),
                    [&](const TableColumn& c) { return equal_ignoring_case(c.name, name); });
    if (!is_taken) return std::string(name);
  }
  return {};
}

std::string key_order(const TableLayout& layout) {
  std::string out;
  for (const std::string& name : layout.primary_key) {
    if (!out.empty()) out += ", ";
    out += quote_name(name);
  }
  return out;
}

}  // namespace

Result<std::vector<TableSummary>> list_tables(Session& session) {
  SLUICE_TRY(std::vector<Listed> tables, listed_tables(session));
  std::vector<TableSummary> out;
  out.reserve(tables.size());
  for (Listed& table : tables) out.push_back(std::move(table.summary));
  return out;
}

Result<TableLayout> describe_table(Session& session, const TypeMemory& memory, const TableName& table,
                                   const RunLimits& limits) {
  TableLayout layout;
  std::vector<Seen> seen;
  {
    const Session::Watch watch(session, limits);
    SLUICE_TRY(const Listed listed, find_table(session, table));
    layout.summary = listed.summary;
    SLUICE_CHECK(read_columns(session, layout));
    SLUICE_CHECK(read_indexes(session, layout));
    SLUICE_CHECK(read_foreign_keys(session, layout));
    const std::string number = listed.has_rowid ? row_number_name(layout) : std::string();
    layout.row_order = number.empty() ? key_order(layout) : number;
    if (!number.empty() && !layout.summary.rows_guess) {
      const std::string sql = "SELECT max(" + number + ") FROM " + quote_table(layout.summary.name);
      SLUICE_CHECK(for_each(session, {sql, {}}, [&](sqlite3_stmt* row) -> Status {
        const std::int64_t highest = sqlite3_column_int64(row, 0);
        layout.summary.rows_guess = highest > 0 ? static_cast<std::uint64_t>(highest) : 0;
        return {};
      }));
    }
  }
  SLUICE_TRY(seen, sample_columns(session, layout, limits));
  for (std::size_t i = 0; i < layout.columns.size(); ++i) {
    TableColumn& column = layout.columns[i];
    std::optional<Type> known = memory.find(table, column.name);
    column.type = known ? *std::move(known) : type_of_column(column.declared, seen[i]);
    // Numbers, texts and blobs side by side are shown as text, so they are also compared as that.
    if (column.type.id == TypeId::kText && (seen[i].blob || !keeps_text_only(column.declared)))
      column.select = "iif(typeof(" + column.select + ") = 'text', " + column.select + ", shown_text(" +
                      column.select + "))";
  }
  return layout;
}

}  // namespace sluice::engine::sqlite

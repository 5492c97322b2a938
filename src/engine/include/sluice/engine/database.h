#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"
#include "sluice/engine/sql.h"
#include "sluice/engine/type.h"

namespace sluice::engine {

enum class Dialect : std::uint8_t { kSqlite, kPostgres };

struct TableName {
  std::string schema;  // Empty in SQLite.
  std::string name;

  friend bool operator==(const TableName&, const TableName&) = default;
  friend auto operator<=>(const TableName&, const TableName&) = default;
};

// "schema"."name", or "name" where there is no schema.
std::string quote_table(const TableName& table);

enum class TableKind : std::uint8_t { kTable, kView, kMaterializedView, kForeign, kPartitioned };

struct TableSummary {
  TableName name;
  TableKind kind = TableKind::kTable;
  std::optional<std::uint64_t> rows_guess;  // As the database last counted or guessed; may be far off.
  std::optional<std::uint64_t> bytes;       // Of its rows on disk; likewise.
  std::string comment;
};

struct TableColumn {
  std::string name;
  Type type;
  std::string declared;  // The type as the database names it; empty where none was declared.
  bool nullable = true;
  bool generated = false;
  std::string default_sql;  // Empty where there is none.
  std::string comment;
  // SQL over the table that gives the column in a form that is decoded as `type`: "name", or "name"::text.
  // Comparisons of this form with text compare what a caller sees.
  std::string select;
  // In PostgreSQL: which collation texts of the column have. Two columns with the same text compare without a
  // COLLATE. Empty where the declared type has none, and in SQLite.
  std::string collation;
};

struct TableIndex {
  std::string name;
  std::vector<std::string> columns;  // Expressions as their SQL.
  bool unique = false;
};

struct ForeignKey {
  std::vector<std::string> columns;
  TableName target;
  std::vector<std::string> target_columns;  // Empty: the target's primary key.
};

struct TableLayout {
  TableSummary summary;
  std::vector<TableColumn> columns;
  std::vector<std::string> primary_key;
  std::vector<TableIndex> indexes;  // Without that of the primary key.
  std::vector<ForeignKey> foreign_keys;
  // What goes behind ORDER BY so that rows keep their order from one page to the next, by an index or the
  // table's own order. Empty where nothing cheap does that; then rows come in the table's physical order,
  // which stays as long as nobody writes.
  std::string row_order;
};

struct PlanGuess {
  double rows = 0;
  double width = 0;  // Bytes of a row.
};

struct DatabaseHealth {
  std::string product;  // "PostgreSQL 15.18", "SQLite 3.40.1".
  std::string role;     // Empty in SQLite.
  bool read_only = true;
  std::vector<std::string> powers;  // What the role can do beyond reading tables: "superuser", …
};

// One SELECT, prepared, and what its output is decoded into: as many columns as it yields, in order.
//
// Placeholders are $1, $2, …; all must occur. PostgreSQL: a bool is bound as boolean, an int64 as bigint, a
// double as double precision; text, lists and null take the type that the statement gives the place
// ("when" < $1, $1::numeric, "id" = ANY($1)). SQLite: a list is bound as a JSON array of text, for
// "id" IN (SELECT value FROM json_each($1)).
struct Select {
  Statement statement;
  std::vector<Field> columns;
  // The table whose columns of the same names they are, where there is one: it learns from a value that does
  // not fit, see Database::query.
  TableName table;
};

// The connections of one database that a statement holds before it runs. They are released when the statement
// has dropped the reservation and the last read that uses it has ended. Any thread.
//
// All reads of a reservation in PostgreSQL see the database at one moment. In SQLite each read sees it as it
// is when the read begins.
class Reservation {
 public:
  virtual ~Reservation() = default;
  // How many reads may run side by side. If these are fewer than were asked for, the database never has as
  // many: the caller must end each read before it begins another.
  virtual std::size_t connections() const = 0;
};

// A database of somebody else, read only: by the session, by the transaction and by what is let through.
// Any thread; statements run side by side, up to a bound, beyond which callers wait within their limits.
//
// SQLite columns hold values of any type, and PostgreSQL has values that no cell of ours can hold (dates
// before Christ, numeric NaN, arrays of arrays). describe() gives the type of what it has seen.
class Database {
 public:
  virtual ~Database() = default;

  virtual Dialect dialect() const = 0;

  // Tables and views that can be read, without those of the system, ordered by schema and name. At most
  // kTablesMax: beyond, limit_reached.
  virtual Result<std::vector<TableSummary>> tables(const RunLimits& limits) = 0;
  virtual Result<TableLayout> describe(const TableName& table, const RunLimits& limits) = 0;

  // The limits hold for all of the rows, which must end before the database does. Where a value does not fit
  // the type of its column, next() fails with kConflict, "column_type_changed", and describe() of that table
  // gives a wider type from then on: asking again works. Where the rows are not those of a table, the caller
  // may ask for text instead. Text that is not UTF-8 has U+FFFD in place of what is not; a blob in a text
  // column reads x'00ff'.
  // A query with a reservation uses one of its connections and never waits for another: if the reads that run
  // use them all, it takes one that is free, or fails with "too_many_tables".
  virtual Result<std::unique_ptr<Rows>> query(const Select& select, const RunLimits& limits,
                                              std::shared_ptr<Reservation> reservation) = 0;
  Result<std::unique_ptr<Rows>> query(const Select& select, const RunLimits& limits) {
    return query(select, limits, nullptr);
  }

  // Waits, in the order of arrival, until a connection for each of `reads` is free. A statement that reads
  // several tables side by side needs them all before it begins: two that each hold one and wait for another
  // would wait until their deadlines.
  virtual Result<std::shared_ptr<Reservation>> reserve(std::size_t reads, const RunLimits& limits) = 0;
  // The same without waiting; null if the connections are not free, or if somebody waits for one.
  virtual std::shared_ptr<Reservation> try_reserve(std::size_t reads) = 0;

  // The names of what a SELECT yields, with types for its first row: what a text of the operator's gives is
  // not known otherwise. kUnsupported where the database makes JSON of rows itself.
  virtual Result<std::vector<Field>> columns(const Statement& statement, const RunLimits& limits) = 0;

  // The planner's guess; the statement is not run. kUnsupported where the database makes none.
  virtual Result<PlanGuess> explain(const Statement& statement, const RunLimits& limits) = 0;

  // Another text whenever the data may be other than before; empty where the database does not tell.
  virtual Result<std::string> version(const RunLimits& limits) = 0;

  virtual Result<DatabaseHealth> check(const RunLimits& limits) = 0;
};

inline constexpr std::size_t kTablesMax = 100'000;

}  // namespace sluice::engine

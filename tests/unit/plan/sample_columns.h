#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace sluice::plan::testing {

// A column of edge values, and what it is compared with.
struct SampleColumn {
  std::string name;
  std::string declared;                // As in CREATE TABLE; may be empty in SQLite.
  std::vector<std::string> cells;      // SQL of the database.
  std::vector<std::string> constants;  // JSON. Some are not values of the column's type.
  std::vector<std::string> patterns;   // For conditions on parts of texts.
};

std::vector<SampleColumn> sqlite_samples();
std::vector<SampleColumn> postgres_samples();

// What the tables of PostgreSQL need before they are created.
std::string postgres_preparation();

struct SampleTable {
  std::string name;
  std::vector<SampleColumn> columns;
  std::size_t rows = 0;
  bool has_key = true;
  unsigned seed = 1;  // Of the cells.
};

// CREATE TABLE and INSERT. Columns begin with "id", the row's number, which is the primary key if there is
// one.
std::string table_sql(const SampleTable& table);

// Groups of two and of three cells in every combination: "id", "g" (the number of the group), "v".
std::string groups_sql(const std::string& name, const SampleColumn& column);

// Every pair of cells: "id", "v", "w".
std::string pairs_sql(const std::string& name, const SampleColumn& column);

}  // namespace sluice::plan::testing

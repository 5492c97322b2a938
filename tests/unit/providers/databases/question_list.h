#pragma once

#include <optional>
#include <string>
#include <vector>

namespace sluice::databases::testing {

// A column that the questions are about, and the values that its cells take in turn.
struct SampleColumn {
  std::string name;
  std::string declared;                           // In the database.
  std::string in_file;                            // The engine's type for the same in a file.
  std::vector<std::optional<std::string>> cells;  // As text; absent: null.
  std::vector<std::string> operands;              // As JSON.
};

inline constexpr std::size_t kSampleRows = 90;
inline constexpr const char* kSampleTable = "Sample table";

std::vector<SampleColumn> sqlite_columns();
std::vector<SampleColumn> postgres_columns();

// What makes the table and fills it, for either database.
std::string table_sql(const std::vector<SampleColumn>& columns);
// A SELECT of the embedded engine that yields the same rows.
std::string file_sql(const std::vector<SampleColumn>& columns);

// One call: "query_data" or "aggregate", and its arguments but for the dataset, without the braces.
struct SampleQuestion {
  std::string tool;
  std::string arguments;
};
std::vector<SampleQuestion> questions_about(const std::vector<SampleColumn>& columns);

}  // namespace sluice::databases::testing

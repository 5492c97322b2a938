#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sluice/base/result.h"
#include "sluice/fs/root.h"
#include "sluice/json/value.h"

namespace sluice::records {

// `schemas/<data_type>_schema.json`: {"schema": {field: type | {"enum": […]}}, "description", "version"}, or
// any other JSON object, which declares no types.
struct SchemaFile {
  json::Object content;

  // {field: declared type}; null where the file has no `schema` object.
  const json::Object* fields() const;
  // The declared type of a field, lower case: "string", "timestamp", "enum"; "" where none is declared.
  std::string declared(std::string_view field) const;
};

std::string schema_path(std::string_view data_type);  // "schemas/tasks_schema.json"

// Nothing where there is no such file. A file that is not a JSON object is kInvalidInput, code
// `invalid_schema_file`.
Result<std::optional<SchemaFile>> read_schema_file(const fs::Root& root, std::string_view data_type);
Status write_schema_file(const fs::Root& root, std::string_view data_type, const json::Object& content);

Status remove_schema_file(const fs::Root& root, std::string_view data_type);

// The content as operations carry it: JSON text, "null" where there is no such file.
Result<std::string> schema_text(const fs::Root& root, std::string_view data_type);

// Whether every declared type of {field: type} is one that columns can have. code `unknown_type`.
Status check_declared_types(const json::Object& fields);

// The values that a field may have by its declaration; null where any will do.
const json::Array* declared_values(const json::Object& fields, std::string_view field);

// The SQL type of a declared one: string → VARCHAR, integer, int64 → BIGINT, float, float64 → DOUBLE, boolean
// → BOOLEAN, date → DATE, datetime, timestamp → TIMESTAMP, date_string and an enum → VARCHAR. Nothing for
// others.
std::optional<std::string> sql_type_of(std::string_view declared);

}  // namespace sluice::records

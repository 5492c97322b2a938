#include "sluice/records/schema_file.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/fs/durable.h"
#include "sluice/fs/file_moves.h"
#include "sluice/json/reader.h"

namespace sluice::records {

namespace {

constexpr std::size_t kSchemaBytesMax = std::size_t{4} << 20U;

struct Declared {
  std::string_view name;
  std::string_view sql;
};
constexpr std::array kDeclared = {
    Declared{"string", "VARCHAR"},     Declared{"text", "VARCHAR"},        Declared{"integer", "BIGINT"},
    Declared{"int64", "BIGINT"},       Declared{"float", "DOUBLE"},        Declared{"float64", "DOUBLE"},
    Declared{"number", "DOUBLE"},      Declared{"boolean", "BOOLEAN"},     Declared{"date", "DATE"},
    Declared{"datetime", "TIMESTAMP"}, Declared{"timestamp", "TIMESTAMP"}, Declared{"date_string", "VARCHAR"},
    Declared{"enum", "VARCHAR"},
};

}  // namespace

std::string schema_path(std::string_view data_type) {
  return fmt::format("schemas/{}_schema.json", data_type);
}

const json::Object* SchemaFile::fields() const {
  const json::Value* schema = content.find("schema");
  return schema == nullptr ? nullptr : schema->if_object();
}

std::string SchemaFile::declared(std::string_view field) const {
  const json::Object* all = fields();
  const json::Value* type = all == nullptr ? nullptr : all->find(field);
  if (type == nullptr) return "";
  if (const std::string* name = type->if_string()) return to_lower_ascii(*name);
  return type->find("enum") != nullptr || type->find("enum_order") != nullptr ? "enum" : "";
}

Result<std::optional<SchemaFile>> read_schema_file(const fs::Root& root, std::string_view data_type) {
  const std::string path = schema_path(data_type);
  const Result<fs::File> file = root.open_beneath(path);
  if (!file.ok()) {
    if (file.error().kind == ErrorKind::kNotFound) return std::optional<SchemaFile>();
    return file.error();
  }
  SLUICE_TRY(const std::string text, file->read_all(kSchemaBytesMax));
  Result<json::Value> value = json::read(text);
  if (!value.ok() || !value->is_object()) {
    return invalid_input("read schema file: it is no JSON object: " + path)
        .with_code("invalid_schema_file")
        .with_hint("Correct the file, or remove it: the types then come from the Parquet file.");
  }
  return std::optional<SchemaFile>(SchemaFile{.content = std::move(*value->if_object())});
}

Status write_schema_file(const fs::Root& root, std::string_view data_type, const json::Object& content) {
  SLUICE_CHECK(fs::make_folder(root, "schemas"));
  return fs::replace_file(root, schema_path(data_type), json::to_text(content) + "\n");
}

Status remove_schema_file(const fs::Root& root, std::string_view data_type) {
  return fs::remove_file(root, schema_path(data_type));
}

Result<std::string> schema_text(const fs::Root& root, std::string_view data_type) {
  SLUICE_TRY(const std::optional<SchemaFile> file, read_schema_file(root, data_type));
  return file ? json::to_text(file->content) : std::string("null");
}

Status check_declared_types(const json::Object& fields) {
  const SchemaFile schema{.content = {{"schema", fields}}};
  for (const json::Member& field : fields) {
    if (sql_type_of(schema.declared(field.key))) continue;
    return invalid_input(fmt::format("the field {} has a type that is not known: {}", excerpt(field.key),
                                     excerpt(json::to_text(field.value))))
        .with_code("unknown_type")
        .with_hint("string, integer, float, boolean, date, timestamp, date_string, or {\"enum\": [values]}.");
  }
  return {};
}

const json::Array* declared_values(const json::Object& fields, std::string_view field) {
  const json::Value* declared = fields.find(field);
  if (declared == nullptr) return nullptr;
  for (const std::string_view key : {"enum", "enum_order"}) {
    const json::Value* values = declared->find(key);
    if (values != nullptr && values->if_array() != nullptr && !values->if_array()->empty())
      return values->if_array();
  }
  return nullptr;
}

std::optional<std::string> sql_type_of(std::string_view declared) {
  for (const Declared& one : kDeclared) {
    if (one.name == declared) return std::string(one.sql);
  }
  return std::nullopt;
}

}  // namespace sluice::records

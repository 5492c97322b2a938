#include "record_defaults.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/records/name.h"

#include "number_ids.h"
#include "state.h"

namespace sluice::records {

namespace {

using engine::TypeId;

constexpr std::size_t kWarningsMax = 5;
constexpr std::size_t kValuesListed = 10;

bool lacks_id(const json::Object& record, const std::string& id_column) {
  const json::Value* value = record.find(id_column);
  return value == nullptr || value->is_null();
}

// Makes the ids of one operation. The caller holds the data type's lock, so nobody makes the same.
class IdMaker {
 public:
  // `column`: null where the data type has no id column yet.
  static Result<IdMaker> create(const View& view, const engine::Field* column,
                                const std::vector<const json::Object*>& records,
                                const engine::RunLimits& limits) {
    IdMaker out;
    if (column == nullptr || column->type.id == TypeId::kText) return out;
    out.column_ = column;
    if (column->type.id == TypeId::kUuid) {
      out.kind_ = Kind::kUuid;
      return out;
    }
    if (!engine::is_number(column->type.id))
      return id_needed(*column, "it is of type " + excerpt(engine::sql_name(column->type)));
    out.kind_ = Kind::kNumber;
    SLUICE_TRY(const std::int64_t largest, largest_id(view, *column, limits));
    out.last_ = std::max(largest, view.last_id);
    for (const json::Object* record : records) {
      const json::Value* given = record->find(column->name);
      const json::Number* number = given == nullptr ? nullptr : given->if_number();
      if (number != nullptr) out.last_ = std::max(out.last_, number->as_int64().value_or(0));
    }
    return out;
  }

  Result<json::Value> next() {
    if (kind_ == Kind::kText) return json::Value(new_id());
    if (kind_ == Kind::kUuid) return json::Value(new_uuid());
    if (last_ == std::numeric_limits<std::int64_t>::max())
      return id_needed(*column_, "the largest is in use");
    return json::Value(++last_);
  }

 private:
  enum class Kind : std::uint8_t { kText, kUuid, kNumber };

  Kind kind_ = Kind::kText;
  const engine::Field* column_ = nullptr;  // Of the view, which outlives this.
  std::int64_t last_ = 0;
};

void set_defaults(json::Object& record, const View& view, const SchemaFile* schema,
                  const MutationOptions& options) {
  const auto set = [&](const std::string& name, const std::string& value) {
    const bool is_known =
        view.find(name) != nullptr || (schema != nullptr && !schema->declared(name).empty());
    if (is_known && !record.contains(name)) record.set(name, value);
  };
  set("import_date", today());
  set("import_source_file", options.source);
  set("created_date", today());
  set("updated_date", today());
  const json::Object* fields = schema == nullptr ? nullptr : schema->fields();
  if (fields == nullptr) return;
  const bool is_upsert = options.source == "mcp_upsert_entry";
  for (const json::Member& field : *fields) {
    const bool is_meant = !is_upsert || field.key == "created_at" || field.key == "updated_at";
    if (is_meant && schema->declared(field.key) == "timestamp" && view.find(field.key) != nullptr)
      set(field.key, now_text());
  }
}

std::string text_of(const json::Value& value) {
  const std::string* text = value.if_string();
  return text != nullptr ? *text : json::to_text(value);
}

}  // namespace

std::string today() { return now_text().substr(0, 10); }

std::string id_column_for(const View& view, const SchemaFile* schema) {
  if (!view.id_column.empty()) return view.id_column;
  const std::vector<std::string> candidates = id_column_candidates(view.data_type);
  for (const std::string& name : candidates) {
    if (schema != nullptr && !schema->declared(name).empty()) return name;
  }
  return new_id_column(view.data_type);
}

Result<std::vector<json::Object>> with_defaults(const View& view, const SchemaFile* schema,
                                                const std::vector<const json::Object*>& records,
                                                const MutationOptions& options, const std::string& id_column,
                                                const engine::RunLimits& limits) {
  std::vector<json::Object> out;
  out.reserve(records.size());
  std::optional<IdMaker> ids;
  for (const json::Object* record : records) {
    json::Object& complete = out.emplace_back(*record);
    if (lacks_id(complete, id_column)) {
      if (!ids) {
        SLUICE_TRY(ids, IdMaker::create(view, view.find(id_column), records, limits));
      }
      SLUICE_TRY(json::Value id, ids->next());
      complete.set(id_column, std::move(id));
    }
    set_defaults(complete, view, schema, options);
  }
  return out;
}

void warn_of_values(std::vector<std::string>& warnings, const SchemaFile* schema,
                    const json::Object& record) {
  const json::Object* fields = schema == nullptr ? nullptr : schema->fields();
  if (fields == nullptr) return;
  for (const json::Member& member : record) {
    const json::Array* values = declared_values(*fields, member.key);
    if (values == nullptr || member.value.is_null() || warnings.size() >= kWarningsMax) continue;
    const std::string given = text_of(member.value);
    std::vector<std::string> known;
    for (const json::Value& value : *values) known.push_back(text_of(value));
    if (std::find(known.begin(), known.end(), given) != known.end()) continue;
    const std::string nearest = nearest_name(given, known);
    std::string listed;
    for (std::size_t i = 0; i < std::min(known.size(), kValuesListed); ++i)
      listed += (i > 0 ? ", " : "") + excerpt(known[i]);
    if (known.size() > kValuesListed) listed += ", …";
    std::string warning = fmt::format("{}: {} is stored, but is not among the declared values: {}.",
                                      excerpt(member.key), excerpt(given), listed);
    if (!nearest.empty()) warning += fmt::format(" Did you mean {}?", excerpt(nearest));
    if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end())
      warnings.push_back(std::move(warning));
  }
}

}  // namespace sluice::records

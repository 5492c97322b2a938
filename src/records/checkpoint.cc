#include <utility>

#include "sluice/json/object_reader.h"
#include "sluice/json/reader.h"
#include "sluice/json/writer.h"

#include "journal.h"
#include "overlay.h"

namespace sluice::records {

namespace {

void write_base(json::Writer& out, std::string_view key, const BaseId& base) {
  out.key(key).begin_object().field("bytes", base.bytes).field("digest", base.digest).end_object();
}

Result<BaseId> base_of(const json::ObjectReader& reader, std::string_view key) {
  BaseId base;
  SLUICE_TRY(const std::optional<json::ObjectReader> object, reader.optional_object(key));
  if (!object) return base;
  SLUICE_TRY(const std::optional<std::int64_t> bytes, object->optional_int("bytes"));
  base.bytes = static_cast<std::uint64_t>(bytes.value_or(0));
  SLUICE_TRY(base.digest, object->required_string("digest"));
  return base;
}

Result<CarriedRow> carried_of(const json::Value& value) {
  SLUICE_TRY(const json::ObjectReader reader, json::ObjectReader::of(value, "carried"));
  CarriedRow row;
  SLUICE_TRY(const std::optional<double> place, reader.optional_number("row"));
  row.row = place.value_or(0);
  const json::Value* values = reader.find("new");
  row.is_gone = values == nullptr;
  if (values != nullptr) row.values = json::to_text(*values);
  return row;
}

}  // namespace

bool is_checkpoint(std::string_view json) { return json.starts_with(R"({"op":"base")"); }

std::string to_json(const Checkpoint& checkpoint) {
  json::Writer out;
  out.begin_object().field("op", "base").field("sequence", checkpoint.sequence);
  write_base(out, "base", checkpoint.base);
  if (!checkpoint.file.empty()) out.field("file", checkpoint.file);
  if (!checkpoint.previous.digest.empty()) write_base(out, "previous", checkpoint.previous);
  out.key("new_columns").begin_array();
  for (const NewColumn& column : checkpoint.new_columns)
    out.begin_object().field("name", column.name).field("type", column.type).end_object();
  out.end_array().key("carried").begin_array();
  for (const CarriedRow& row : checkpoint.carried) {
    out.begin_object().field("row", row.row);
    if (!row.is_gone) out.raw_field("new", row.values);
    out.end_object();
  }
  out.end_array();
  if (!checkpoint.operation.empty()) out.raw_field("operation", checkpoint.operation);
  return std::move(out.end_object()).take();
}

Result<Checkpoint> checkpoint_of(std::string_view json) {
  SLUICE_TRY(const json::Value value, json::read(json, kJournalLimits));
  SLUICE_TRY(const json::ObjectReader reader, json::ObjectReader::of(value, "base"));
  Checkpoint out;
  SLUICE_TRY(const std::optional<std::int64_t> sequence, reader.optional_int("sequence"));
  out.sequence = sequence.value_or(0);
  SLUICE_TRY(out.base, base_of(reader, "base"));
  SLUICE_TRY(out.previous, base_of(reader, "previous"));
  SLUICE_TRY(std::optional<std::string> file, reader.optional_string("file"));
  out.file = std::move(file).value_or("");
  SLUICE_TRY(out.new_columns, columns_of(reader));
  SLUICE_TRY(const json::Array* carried, reader.optional_array("carried"));
  if (carried != nullptr) {
    for (const json::Value& row : *carried) {
      SLUICE_TRY(CarriedRow one, carried_of(row));
      out.carried.push_back(std::move(one));
    }
  }
  if (const json::Value* operation = reader.find("operation")) out.operation = json::to_text(*operation);
  return out;
}

}  // namespace sluice::records

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

void write_numbers(json::Writer& out, std::string_view key, const std::vector<double>& numbers) {
  out.key(key).begin_array();
  for (const double number : numbers) out.number(number);
  out.end_array();
}

Result<std::vector<double>> numbers_of(const json::ObjectReader& reader, std::string_view key) {
  std::vector<double> out;
  SLUICE_TRY(const json::Array* numbers, reader.required_array(key));
  for (const json::Value& number : *numbers)
    out.push_back(number.is_number() ? number.if_number()->as_double() : 0);
  return out;
}

void write_renumbering(json::Writer& out, const Renumbering& renumbering) {
  out.key("renumbering").begin_object();
  out.field("base_rows", renumbering.base_rows).field("next_row", renumbering.next_row);
  write_numbers(out, "gone", renumbering.gone);
  write_numbers(out, "added", renumbering.added);
  out.end_object();
}

Result<Renumbering> renumbering_of(const json::ObjectReader& reader) {
  Renumbering out;
  SLUICE_TRY(const std::optional<double> base_rows, reader.optional_number("base_rows"));
  SLUICE_TRY(const std::optional<double> next_row, reader.optional_number("next_row"));
  out.base_rows = base_rows.value_or(0);
  out.next_row = next_row.value_or(0);
  SLUICE_TRY(out.gone, numbers_of(reader, "gone"));
  SLUICE_TRY(out.added, numbers_of(reader, "added"));
  return out;
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
  if (checkpoint.renumbering) write_renumbering(out, *checkpoint.renumbering);
  if (checkpoint.last_id > 0) out.field("last_id", checkpoint.last_id);
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
  SLUICE_TRY(const std::optional<json::ObjectReader> renumbering, reader.optional_object("renumbering"));
  if (renumbering) {
    SLUICE_TRY(out.renumbering, renumbering_of(*renumbering));
  }
  SLUICE_TRY(const std::optional<std::int64_t> last_id, reader.optional_int("last_id"));
  out.last_id = last_id.value_or(0);
  if (const json::Value* operation = reader.find("operation")) out.operation = json::to_text(*operation);
  return out;
}

}  // namespace sluice::records

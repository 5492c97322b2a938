#include "handle_card.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "sluice/engine/sql.h"
#include "sluice/json/object_reader.h"
#include "sluice/json/reader.h"
#include "sluice/json/writer.h"

namespace sluice::query {

namespace {

constexpr std::size_t kIdBytesMin = 16;
constexpr std::size_t kIdBytesMax = 64;

bool is_id_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

}  // namespace

bool is_handle_id(std::string_view id) {
  return id.size() >= kIdBytesMin && id.size() <= kIdBytesMax &&
         std::all_of(id.begin(), id.end(), is_id_character);
}

bool has_our_ending(std::string_view name) {
  constexpr std::array<std::string_view, 5> kEndings = {".parquet", ".json", ".ndjson", ".csv", ".arrow"};
  return std::any_of(kEndings.begin(), kEndings.end(),
                     [&](std::string_view ending) { return name.ends_with(ending); });
}

std::string card_name(std::string_view id) { return fmt::format("{}.json", id); }

std::string to_json(const HandleCard& card) {
  const auto expires = std::chrono::duration_cast<std::chrono::milliseconds>(card.expires.time_since_epoch());
  json::Writer out;
  out.begin_object().field("scheme", card.scheme).field("owner", card.owner.id).field("rows", card.rows);
  if (!card.policy.text.empty()) out.field("policy", card.policy.text);
  out.field("expires_ms", static_cast<std::int64_t>(expires.count())).key("columns").begin_array();
  for (const engine::Field& column : card.columns)
    out.begin_object().field("name", column.name).field("type", engine::sql_name(column.type)).end_object();
  out.end_array();
  if (!card.lineage.empty()) out.raw_field("lineage", json::to_text(card.lineage));
  return std::move(out.end_object()).take();
}

Result<HandleCard> handle_card_of(std::string_view json, engine::Engine& engine) {
  SLUICE_TRY(const json::Value value, json::read(json));
  SLUICE_TRY(const json::ObjectReader reader, json::ObjectReader::of(value, "handle"));
  HandleCard card;
  SLUICE_TRY(card.scheme, reader.required_string("scheme"));
  SLUICE_TRY(card.owner.id, reader.required_string("owner"));
  SLUICE_TRY(std::optional<std::string> policy, reader.optional_string("policy"));
  card.policy.text = std::move(policy).value_or("");
  SLUICE_TRY(const std::optional<std::int64_t> rows, reader.optional_int("rows"));
  card.rows = static_cast<std::uint64_t>(std::max<std::int64_t>(0, rows.value_or(0)));
  SLUICE_TRY(const std::optional<std::int64_t> expires, reader.optional_int("expires_ms"));
  card.expires = WallTime(std::chrono::milliseconds(expires.value_or(0)));
  SLUICE_TRY(const json::Array* columns, reader.required_array("columns"));
  if (const json::Value* lineage = value.find("lineage"); lineage != nullptr && lineage->is_object())
    card.lineage = *lineage->if_object();
  std::string nulls;
  for (const json::Value& column : *columns) {
    SLUICE_TRY(const json::ObjectReader field, json::ObjectReader::of(column, "column"));
    SLUICE_TRY(const std::string name, field.required_string("name"));
    SLUICE_TRY(const std::string type, field.required_string("type"));
    nulls +=
        fmt::format("{}CAST(NULL AS {}) AS {}", nulls.empty() ? "" : ", ", type, engine::quote_name(name));
  }
  SLUICE_TRY(engine::Description described, engine.describe({.sql = "SELECT " + nulls, .parameters = {}}));
  card.columns = std::move(described.columns);
  return card;
}

}  // namespace sluice::query

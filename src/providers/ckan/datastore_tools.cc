#include <utility>

#include <fmt/format.h>

#include "portal_text.h"
#include "portal_view.h"
#include "tools.h"

namespace sluice::ckan {

namespace {

// Columns of the DataStore's own.
bool is_internal(std::string_view column) { return column == "_id" || column == "_full_text"; }

json::Array fields_of(const json::Value& result) {
  json::Array out;
  for (const json::Value& field : list_of(result, "fields")) {
    if (!is_internal(text_of(field, "id"))) out.push_back(field);
  }
  return out;
}

json::Array records_of(const json::Value& result) {
  json::Array out;
  for (const json::Value& record : list_of(result, "records")) {
    const json::Object* object = record.if_object();
    if (object == nullptr) continue;
    json::Object kept;
    for (const json::Member& member : *object) {
      if (!is_internal(member.key)) kept.append_unchecked(member.key, member.value);
    }
    out.push_back(std::move(kept));
  }
  return out;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) (out += out.empty() ? "" : ",") += part;
  return out;
}

}  // namespace

Result<Found> datastore_search(const ToolCall& call) {
  SLUICE_TRY(const std::int64_t limit, call.in.number("limit", kRecordLimit));
  SLUICE_TRY(const std::int64_t offset, call.in.number("offset", kStart));
  const std::string id = call.in.text("resource_id");
  Parameters parameters{
      {"resource_id", id}, {"limit", std::to_string(limit)}, {"offset", std::to_string(offset)}};
  if (call.in.has("q")) parameters["q"] = call.in.text("q");
  if (const json::Object* filters = call.in.object("filters"))
    parameters["filters"] = json::to_text(*filters);
  const std::vector<std::string> fields = call.in.texts("fields");
  if (!fields.empty()) parameters["fields"] = joined(fields);
  if (call.in.has("sort")) parameters["sort"] = call.in.text("sort");
  if (call.in.flag("distinct")) parameters["distinct"] = "true";
  SLUICE_TRY(const ActionResultPtr result, call.get("datastore_search", parameters));
  json::Array records = records_of(result->value);
  const std::uint64_t total = count_of(result->value, "total");
  const std::uint64_t next = static_cast<std::uint64_t>(offset) + records.size();
  const bool has_more = !records.empty() && next < total;
  Found found{.value = json::Object{{"resource_id", id}, {"total", total}, {"offset", offset}},
              .title = "Records of a resource of " + call.portal.server_url(),
              .facts = {fmt::format("{} records in all, {} shown from {} on", total, records.size(), offset)},
              .rows = "records"};
  found.value.set("has_more", has_more);
  if (has_more) {
    found.value.set("next_offset", next);
    found.facts.push_back(fmt::format("More: offset={} reads on", next));
  }
  if (total == 0) found.facts.emplace_back(kNothingFound);
  found.value.set("fields", fields_of(result->value));
  found.value.set("records", std::move(records));
  return found;
}

Result<Found> datastore_search_sql(const ToolCall& call) {
  SLUICE_TRY(const ActionResultPtr result, call.get("datastore_search_sql", {{"sql", call.in.text("sql")}}));
  json::Array records = records_of(result->value);
  const json::Value cut = member_of(result->value, "records_truncated");
  const bool has_more = cut.if_bool() != nullptr && *cut.if_bool();
  Found found{
      .value = json::Object{{"resource_id", nullptr}, {"total", records.size()}, {"has_more", has_more}},
      .title = "Records by SQL from " + call.portal.server_url(),
      .facts = {fmt::format("{} records", records.size())},
      .rows = "records"};
  if (has_more) found.facts.emplace_back("The portal has cut its answer: use LIMIT and OFFSET");
  if (records.empty()) found.facts.emplace_back(kNothingFound);
  found.value.set("fields", fields_of(result->value));
  found.value.set("records", std::move(records));
  return found;
}

}  // namespace sluice::ckan

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"

#include "portal/portal_text.h"
#include "portal/portal_view.h"
#include "tools/tools.h"

namespace sluice::ckan {

namespace {

// Columns that the DataStore adds to every table. They are left out unless the caller names them.
constexpr std::array<std::string_view, 2> kInternalColumns = {"_id", "_full_text"};

using HiddenColumns = std::vector<std::string>;

HiddenColumns hidden_unless(const std::function<bool(std::string_view)>& is_named) {
  HiddenColumns out;
  for (const std::string_view column : kInternalColumns) {
    if (!is_named(column)) out.emplace_back(column);
  }
  return out;
}

bool is_hidden(const HiddenColumns& hidden, std::string_view column) {
  return std::find(hidden.begin(), hidden.end(), column) != hidden.end();
}

json::Array fields_of(const json::Value& result, const HiddenColumns& hidden) {
  json::Array out;
  for (const json::Value& field : list_of(result, "fields")) {
    if (!is_hidden(hidden, text_of(field, "id"))) out.push_back(field);
  }
  return out;
}

// One for each record of the portal, so that positions in the two lists are the same.
json::Array records_of(const json::Value& result, const HiddenColumns& hidden) {
  json::Array out;
  for (const json::Value& record : list_of(result, "records")) {
    const json::Object* object = record.if_object();
    if (object == nullptr) {
      out.push_back(record);
      continue;
    }
    json::Object shown;
    for (const json::Member& member : *object) {
      if (!is_hidden(hidden, member.key)) shown.append_unchecked(member.key, member.value);
    }
    out.push_back(std::move(shown));
  }
  return out;
}

// Whether SQL has the name as a word of its own, wherever that is. Case does not count, as for PostgreSQL.
bool names_column(std::string_view text, std::string_view column) {
  const std::string sql = to_lower_ascii(text);
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  for (std::size_t at = sql.find(column); at != std::string::npos; at = sql.find(column, at + 1)) {
    const std::size_t end = at + column.size();
    if ((at == 0 || !is_word(sql[at - 1])) && (end == sql.size() || !is_word(sql[end]))) return true;
  }
  return false;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) (out += out.empty() ? "" : ",") += part;
  return out;
}

}  // namespace

Result<ToolAnswer> datastore_search(const ToolCall& call) {
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
  const HiddenColumns hidden = hidden_unless([&](std::string_view column) {
    return std::find(fields.begin(), fields.end(), column) != fields.end();
  });
  json::Array records = records_of(result->value, hidden);
  const std::uint64_t total = count_of(result->value, "total");
  const std::uint64_t next = static_cast<std::uint64_t>(offset) + records.size();
  ToolAnswer found{.value = json::Object{{"resource_id", id}, {"total", total}, {"offset", offset}},
                   .title = "Records of a resource of " + call.portal.server_url(),
                   .facts = {},
                   .page = {.key = "records",
                            .offset = static_cast<std::uint64_t>(offset),
                            .total = total,
                            .has_more = !records.empty() && next < total,
                            .argument = "offset"}};
  if (total == 0) found.facts.emplace_back(kNothingFound);
  found.value.set("fields", fields_of(result->value, hidden));
  found.value.set("records", std::move(records));
  return found;
}

Result<ToolAnswer> datastore_search_sql(const ToolCall& call) {
  SLUICE_TRY(const std::int64_t offset, call.in.number("offset", kStart));
  const std::string sql = call.in.text("sql");
  SLUICE_TRY(const ActionResultPtr result, call.get("datastore_search_sql", {{"sql", sql}}));
  const HiddenColumns hidden =
      hidden_unless([&](std::string_view column) { return names_column(sql, column); });
  json::Array records = records_of(result->value, hidden);
  const std::size_t total = records.size();
  const json::Value cut = member_of(result->value, "records_truncated");
  const bool is_cut = cut.if_bool() != nullptr && *cut.if_bool();
  skip_rows(records, static_cast<std::uint64_t>(offset));
  ToolAnswer found{.value = json::Object{{"resource_id", nullptr}, {"total", total}, {"offset", offset}},
                   .title = "Records by SQL from " + call.portal.server_url(),
                   .facts = {},
                   .page = {.key = "records",
                            .offset = static_cast<std::uint64_t>(offset),
                            .total = total,
                            .more_elsewhere = is_cut,
                            .argument = "offset"}};
  if (is_cut) {
    const std::string hint = fmt::format(
        "The portal gives no more than {} records of this query; continue it with LIMIT and OFFSET in the "
        "SQL",
        total);
    found.value.set("records_truncated", true);
    found.value.set("hint", hint);
    found.facts.push_back(hint);
  }
  if (total == 0) found.facts.emplace_back(kNothingFound);
  found.value.set("fields", fields_of(result->value, hidden));
  found.value.set("records", std::move(records));
  return found;
}

}  // namespace sluice::ckan

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/json/object_reader.h"

#include "analysis/analysis_tools.h"
#include "analysis/findings.h"

namespace sluice::datasets::analysis {

namespace {

constexpr std::size_t kNamesMax = 100;  // In one call.
constexpr std::size_t kNameBytesMax = 64;
constexpr std::size_t kCodesMax = 100;  // Of one name.
constexpr std::size_t kCodeBytesMax = 64;
constexpr std::size_t kDescriptionBytesMax = 500;

Error invalid_equivalency(std::string_view what, std::string_view value, const Series& series) {
  return invalid_input(fmt::format("equivalency_map: {}: {}", what, excerpt(value)))
      .with_code("invalid_equivalency")
      .with_hint(fmt::format(
          "{{\"vocational\": [{{\"{0}\": …, \"code\": \"1045\"}}, {{\"{0}\": …, \"code\": \"1192\"}}]}}",
          series.entity().series));
}

bool is_shown(std::string_view text, std::size_t bytes_max) {
  return !text.empty() && text.size() <= bytes_max && is_valid_utf8(text) && encode_controls(text) == text;
}

// The code stands under `code`, or under the name of its column.
Result<Equivalency::Code> read_code(const json::Value& value, const Series& series) {
  const json::Value* place = value.find(series.entity().series);
  const json::Value* code = value.find("code");
  if (code == nullptr) code = value.find(series.entity().code);
  Equivalency::Code out;
  if (place != nullptr) out.place = Series::place_text(*place);
  if (code != nullptr) out.code = Series::place_text(*code);
  if (!is_shown(out.place, kCodeBytesMax) || !is_shown(out.code, kCodeBytesMax))
    return invalid_equivalency("a mapping needs where it is and its code", json::to_text(value), series);
  return out;
}

Result<Equivalencies> read_map(const json::Object& map, const Series& series, const Equivalency& common) {
  if (map.empty() || map.size() > kNamesMax)
    return invalid_equivalency("1 to 100 names", std::to_string(map.size()), series);
  Equivalencies out;
  for (const json::Member& member : map) {
    if (!is_shown(member.key, kNameBytesMax))
      return invalid_equivalency("a name has 1 to 64 visible bytes", member.key, series);
    const json::Array* codes = member.value.if_array();
    if (codes == nullptr || codes->size() < 2 || codes->size() > kCodesMax)
      return invalid_equivalency("a name needs a list of 2 to 100 mappings", member.key, series);
    Equivalency one = common;
    for (const json::Value& code : *codes) {
      SLUICE_TRY(one.codes.emplace_back(), read_code(code, series));
    }
    out.emplace(member.key, std::move(one));
  }
  return out;
}

std::string equivalency_json(const Equivalency& one, const Series& series) {
  json::Writer out;
  out.begin_object().field("description", one.description);
  out.key("mappings").begin_array();
  for (const Equivalency::Code& code : one.codes) {
    out.begin_object().field(series.entity().series, series.place_json(code.place));
    out.field("code", code.code).end_object();
  }
  out.end_array().field("created_at", one.created_at).field("created_by", one.created_by);
  return std::move(out.end_object()).take();
}

}  // namespace

Result<protocol::ToolResult> register_program_equivalency(const DatasetTools& tools,
                                                          const json::Object& arguments,
                                                          catalog::Context& context) {
  const std::shared_ptr<EquivalencyStore>& store = tools.services().equivalencies;
  if (!store) {
    return forbidden("register an equivalency: this server keeps none")
        .with_code("read_only")
        .with_hint("The operator can name a file for them: `equivalencies` in the configuration.");
  }
  SLUICE_TRY(const Series series, Series::find(tools, arguments));
  const json::ObjectReader in(arguments, "");
  SLUICE_TRY(const json::ObjectReader map, in.required_object("equivalency_map"));
  SLUICE_TRY(const std::optional<std::string> description, in.optional_string("description"));
  SLUICE_TRY(const std::optional<bool> replace, in.optional_bool("replace"));
  const Equivalency common{.collection = series.collection().name,
                           .description = excerpt(description.value_or(""), kDescriptionBytesMax),
                           .codes = {},
                           .created_at = format_utc(tools.services().clock->wall()),
                           .created_by = context.principal().id};
  SLUICE_TRY(const Equivalencies more, read_map(map.object(), series, common));
  SLUICE_CHECK(store->add(more, replace.value_or(false) ? EquivalencyStore::Existing::kReplace
                                                        : EquivalencyStore::Existing::kKeep));
  std::uint64_t registered = 0;
  json::Writer out;
  out.begin_object().field("success", true).key("concept_ids").begin_array();
  for (const auto& [name, one] : more) {
    out.string(name);
    registered += one.codes.size();
  }
  out.end_array().field("registered", registered);
  return protocol::json_text_result(std::move(out.end_object()).take());
}

Result<protocol::ToolResult> get_program_equivalencies(const DatasetTools& tools,
                                                       const json::Object& arguments, catalog::Context&) {
  SLUICE_TRY(const Series series, Series::find(tools, arguments));
  SLUICE_TRY(const std::optional<std::int64_t> asked,
             json::ObjectReader(arguments, "").optional_int("offset"));
  const auto offset = static_cast<std::uint64_t>(std::max<std::int64_t>(0, asked.value_or(0)));
  Equivalencies all;
  if (tools.services().equivalencies) {
    SLUICE_TRY(all, tools.services().equivalencies->all());
  }
  const std::uint64_t room = answer_room(tools);
  std::uint64_t count = 0;
  std::uint64_t listed = 0;
  json::Writer list;
  list.begin_object();
  for (const auto& [name, one] : all) {
    if (one.collection != series.collection().name || count++ < offset) continue;
    const std::string item = equivalency_json(one, series);
    // One always fits: its parts are bounded when it is registered.
    if (listed + offset + 1 < count || (listed > 0 && list.size() + name.size() + item.size() > room))
      continue;
    list.raw_field(name, item);
    ++listed;
  }
  list.end_object();
  json::Writer out;
  out.begin_object().field("count", count);
  if (offset + listed < count) out.field("next_offset", offset + listed);
  return protocol::json_text_result(
      std::move(out.raw_field("equivalencies", list.text()).end_object()).take());
}

}  // namespace sluice::datasets::analysis

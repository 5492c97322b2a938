// Any JSON as what a portal answers: whatever is made of it fits its room and is JSON, and any bytes as a
// file of it.
#include <string>

#include "sluice/json/reader.h"

#include "answer/shorten.h"
#include "answer/table_form.h"
#include "answer/truncate.h"
#include "portal/portal_view.h"
#include "property.h"

namespace {

namespace ckan = sluice::ckan;
namespace json = sluice::json;

void check_dataset(const json::Value& dataset) {
  require(ckan::cut(ckan::organization_of(dataset), 10).size() <= 10 * 4 + 3, "a cut text is short");
  for (const json::Value& tag : ckan::tag_names(dataset)) require(tag.is_string(), "a tag has a name");
  for (const char* field : {"frequency", "name", "modified"}) ckan::field_of(dataset, field);
  ckan::facet_items(dataset, "tags");
}

void check_truncated(const json::Object& object, const ckan::TextRoom& room) {
  const ckan::Truncated made = ckan::truncate(object, room);
  const sluice::Result<json::Value> read = json::read(made.text);
  require(read.ok() && read->is_object(), "what is cut is an object still");
  require(json::equal(*read, json::Value(made.object)), "the text says the same");
  require(made.is_cut || json::equal(*read, json::Value(object)), "what is not cut is whole");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = text_of(data, size);
  const auto [name, beginning] = two_texts(input);
  const sluice::Result<ckan::TableForm> form = ckan::form_of(
      beginning, {.format = std::string(name), .name = std::string(name), .charset = std::string(name)});
  require(form.ok() || !form.error().code.empty(), "a file that is no table is refused with a code");

  const sluice::Result<json::Value> value = json::read(input);
  if (!value) return 0;
  check_dataset(*value);
  for (const json::Value& one : ckan::list_of(*value, "results")) check_dataset(one);
  const json::Object* object = value->if_object();
  if (object == nullptr) return 0;
  for (const std::size_t room : {std::size_t{200}, std::size_t{2'000}, std::size_t{100'000}})
    check_truncated(*object, {.units = room, .bytes = room});
  json::to_text(ckan::shorten_members(*object, {.units = 500, .bytes = 500}));
  return 0;
}

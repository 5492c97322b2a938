#include "portal/portal_text.h"

#include <algorithm>
#include <utility>

#include "sluice/base/text.h"

namespace sluice::ckan {

namespace {

constexpr std::size_t kNameBytesMax = 512;

}  // namespace

bool is_portal_name(std::string_view text) {
  return !text.empty() && text.size() <= kNameBytesMax && is_valid_utf8(text) &&
         std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == '\x7f'; });
}

json::Value cleaned(const json::Value& value) {
  if (const std::string* text = value.if_string()) return strip_controls(*text);
  if (const json::Array* array = value.if_array()) {
    json::Array out;
    out.reserve(array->size());
    for (const json::Value& each : *array) out.push_back(cleaned(each));
    return out;
  }
  if (const json::Object* object = value.if_object()) {
    json::Object out;
    for (const json::Member& member : *object) {
      std::string key = strip_controls(member.key);
      if (key == member.key) {
        out.append_unchecked(std::move(key), cleaned(member.value));
      } else {
        while (object->contains(key) || out.contains(key)) key += '_';
        out.append_unchecked(std::move(key), cleaned(member.value));
      }
    }
    return out;
  }
  return value;
}

std::string text_of(const json::Value& value, std::string_view key) {
  const json::Value* member = value.find(key);
  const std::string* text = member == nullptr ? nullptr : member->if_string();
  return text == nullptr ? std::string() : *text;
}

}  // namespace sluice::ckan

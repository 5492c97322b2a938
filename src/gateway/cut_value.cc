#include "cut_value.h"

#include <algorithm>
#include <array>
#include <string>

#include "text_part.h"

namespace sluice::gateway {
namespace {

struct Caps {
  std::size_t chars = 0;
  std::size_t items = 0;
  std::size_t members = 0;
};

json::Value cut_once(const json::Value& value, const Caps& caps) {
  if (const std::string* text = value.if_string()) {
    const std::size_t end = end_of_chars(*text, caps.chars);
    return end >= text->size() ? *text : text->substr(0, end) + "…";
  }
  if (const json::Array* array = value.if_array()) {
    json::Array out;
    for (std::size_t i = 0; i < std::min(array->size(), caps.items); ++i)
      out.push_back(cut_once((*array)[i], caps));
    return out;
  }
  if (const json::Object* object = value.if_object()) {
    json::Object out;
    for (const json::Member& member : *object) {
      if (out.size() >= caps.members) break;
      out.append_unchecked(member.key, cut_once(member.value, caps));
    }
    return out;
  }
  return value;
}

}  // namespace

json::Value cut_to(const json::Value& value, std::size_t bytes_max) {
  constexpr std::array<Caps, 8> kSteps{{{10'000, 1'000, 1'000},
                                        {4'000, 300, 1'000},
                                        {2'000, 100, 1'000},
                                        {1'000, 50, 500},
                                        {400, 20, 200},
                                        {200, 10, 200},
                                        {80, 3, 100},
                                        {40, 1, 50}}};
  json::Value cut = value;
  for (const Caps& caps : kSteps) {
    if (json::to_text(cut).size() <= bytes_max) break;
    cut = cut_once(value, caps);
  }
  return cut;
}

}  // namespace sluice::gateway

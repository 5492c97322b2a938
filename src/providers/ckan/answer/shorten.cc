#include "answer/shorten.h"

#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/utf8.h"

namespace sluice::ckan {

namespace {

constexpr std::size_t kMarksMax = 12;
constexpr std::size_t kPathCharacters = 60;
constexpr std::string_view kWholeObject = "*";

struct Caps {
  std::size_t characters = 0;
  std::size_t items = 0;    // Of a list,
  std::size_t members = 0;  // and of an object beneath the top one.
};
// Each step keeps about half as much as the one before.
constexpr std::array<Caps, 11> kSteps = {{{20'000, 2'000, 2'000},
                                          {10'000, 1'000, 1'000},
                                          {5'000, 500, 500},
                                          {2'500, 200, 200},
                                          {1'200, 100, 100},
                                          {600, 50, 50},
                                          {300, 20, 40},
                                          {150, 10, 30},
                                          {80, 5, 20},
                                          {40, 2, 10},
                                          {20, 1, 5}}};

// One attempt to cut a value, and the marks of what it cut.
class Attempt {
 public:
  explicit Attempt(const Caps& caps) : caps_(caps) {}

  json::Value cut(const json::Value& value, const std::string& path) {
    if (const std::string* text = value.if_string()) return cut_text(*text, path);
    if (const json::Array* list = value.if_array()) return cut_list(*list, path);
    if (const json::Object* object = value.if_object()) return cut_object(*object, path);
    return value;
  }
  json::Object cut_object(const json::Object& object, const std::string& path) {
    json::Object out;
    for (const json::Member& member : object) {
      if (out.size() >= caps_.members) break;
      const std::string within = path == kWholeObject ? member.key : path + "." + member.key;
      out.append_unchecked(member.key, cut(member.value, within));
    }
    if (out.size() < object.size()) mark(path, out.size(), object.size(), "members");
    return out;
  }
  json::Object take_marks() { return std::move(marks_); }

 private:
  void mark(const std::string& path, std::size_t shown, std::size_t all, std::string_view what) {
    if (marks_.size() >= kMarksMax && path != kWholeObject) return;
    marks_.set(std::string(first_characters(path, kPathCharacters)),
               fmt::format("{} of {} {}", shown, all, what));
  }
  json::Value cut_text(const std::string& text, const std::string& path) {
    if (text.size() <= caps_.characters) return text;
    const std::size_t all = count_characters(text);
    if (all <= caps_.characters) return text;
    mark(path, caps_.characters, all, "characters");
    return std::string(first_characters(text, caps_.characters)) + "…";
  }
  json::Value cut_list(const json::Array& list, const std::string& path) {
    json::Array out;
    for (const json::Value& each : list) {
      if (out.size() >= caps_.items) break;
      out.push_back(cut(each, path + "[]"));
    }
    if (out.size() < list.size()) mark(path, out.size(), list.size(), "items");
    return out;
  }

  const Caps caps_;
  json::Object marks_;
};

}  // namespace

json::Object shorten(const json::Object& object, const TextRoom& room) {
  if (room.holds(json::to_text(object))) return object;
  json::Object out;
  for (const Caps& caps : kSteps) {
    Attempt attempt(caps);
    out = {};
    for (const json::Member& member : object)
      out.append_unchecked(member.key, attempt.cut(member.value, member.key));
    out.set(std::string(kMarksKey), attempt.take_marks());
    if (room.holds(json::to_text(out))) break;
  }
  return out;
}

json::Object shorten_members(const json::Object& object, const TextRoom& room) {
  json::Object out = shorten(object, room);
  for (const Caps& caps : kSteps) {
    if (room.holds(json::to_text(out))) break;
    Attempt attempt(caps);
    out = attempt.cut_object(object, std::string(kWholeObject));
    out.set(std::string(kMarksKey), attempt.take_marks());
  }
  return out;
}

}  // namespace sluice::ckan

#include "answer/fit_rows.h"

#include <algorithm>
#include <array>
#include <utility>

#include "answer/shorten.h"

namespace sluice::ckan {

namespace {

// Shares of the room that the rest and the only row are shortened to, one after the other, until both fit
// beside the words around them.
constexpr std::array<std::size_t, 8> kParts = {2, 3, 4, 6, 8, 12, 20, 40};
constexpr std::string_view kNothingFits =
    "Not one row fits the limit of an answer. Ask for fewer fields, or have the limit raised.";

bool fits(const ComposedAnswer& answer, const TextRoom& room) {
  return room.holds(answer.text) && room.holds(json::to_text(answer.object));
}

// How many rows could fit if there were nothing else.
std::size_t rows_at_most(const json::Array& rows, const TextRoom& room) {
  std::size_t bytes = 0;
  std::size_t count = 0;
  for (; count < rows.size(); ++count) {
    bytes += json::to_text(rows[count]).size() + 1;
    if (bytes > room.bytes) break;
  }
  return count;
}

json::Value shortened(const json::Value& row, const TextRoom& room) {
  if (const json::Object* object = row.if_object()) return shorten_members(*object, room);
  json::Object wrapped = shorten(json::Object{{"value", row}}, room);
  return *wrapped.find("value");
}

}  // namespace

ComposedAnswer fit_rows(const json::Object& rest, const json::Array& rows, const TextRoom& room,
                        const ComposeAnswer& compose) {
  const TextRoom half = room.divided_by(2);
  const json::Object beside = rows.empty() ? rest : shorten(rest, half);
  std::size_t count = rows_at_most(rows, room);
  ComposedAnswer answer;
  while (count > 0 || rows.empty()) {
    const auto end = rows.begin() + static_cast<std::ptrdiff_t>(count);
    answer = compose(beside, json::Array(rows.begin(), end));
    if (fits(answer, room)) return answer;
    if (count <= 1) break;
    count -= std::max<std::size_t>(1, count / 16);
  }
  for (const std::size_t parts : kParts) {
    const TextRoom share = room.divided_by(parts);
    json::Array one;
    if (!rows.empty()) one.push_back(shortened(rows.front(), share));
    answer = compose(shorten(rest, share), one);
    if (fits(answer, room)) return answer;
  }
  for (json::Object mark :
       {json::Object{{"_truncated", true}, {"_error", kNothingFits}}, json::Object{{"_truncated", true}}}) {
    std::string text = json::to_text(mark);
    if (room.holds(text)) return {.object = std::move(mark), .text = std::move(text), .shown = 0};
  }
  return {.object = {}, .text = "{}", .shown = 0};
}

}  // namespace sluice::ckan

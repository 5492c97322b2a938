#pragma once

#include <string_view>

#include "sluice/json/value.h"

#include "answer/text_room.h"

namespace sluice::ckan {

inline constexpr std::string_view kMarksKey = "_shortened";

// Makes a value fit by cutting its long texts and lists, the longest first. Texts that were cut end with "…",
// and `_shortened` of the object says of each what is shown: {"notes": "400 of 45000 characters", "extras":
// "20 of 300 items"}. Keys and types stay. Returns the smallest form that it can make if none fits.
json::Object shorten(const json::Object& object, const TextRoom& room);

// The same for an object with so many members that they do not fit however short each is: only the first of
// them are kept. `_shortened` says so of "*": {"*": "20 of 900 members"}.
json::Object shorten_members(const json::Object& object, const TextRoom& room);

}  // namespace sluice::ckan

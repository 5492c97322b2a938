#pragma once

#include <functional>
#include <string>

#include "sluice/json/value.h"

#include "answer/text_room.h"

namespace sluice::ckan {

// An answer in its two forms. Each has to fit the room.
struct ComposedAnswer {
  json::Object object;
  std::string text;
  std::size_t shown = 0;  // Rows in it.
};

// Writes an answer that shows these rows, with what the number of rows says about the way on.
using ComposeAnswer = std::function<ComposedAnswer(const json::Object& rest, const json::Array& rows)>;

// An answer that shows as many of the first rows as fit, and at least one: what is too long for that is
// shortened (see shorten.h). `rest` is everything beside the rows.
ComposedAnswer fit_rows(const json::Object& rest, const json::Array& rows, const TextRoom& room,
                        const ComposeAnswer& compose);

}  // namespace sluice::ckan

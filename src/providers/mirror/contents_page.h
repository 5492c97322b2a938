#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sluice/protocol/model/resource.h"

namespace sluice::mirror {

// A place within what a provider returned for one URI.
struct Position {
  enum class Unit : std::uint8_t {
    kStart,    // The beginning of an item.
    kText,     // A byte of text.
    kRows,     // A row of JSON.
    kRowPart,  // A byte of one row of JSON that is larger than an answer.
    kBytes,    // A byte of binary content.
  };

  Unit unit = Unit::kStart;
  std::size_t item = 0;
  std::size_t row = 0;
  std::size_t byte = 0;
};

// As text for callers, and back. Nothing where the text is none that to_cursor wrote.
std::string to_cursor(const Position& position);
std::optional<Position> parse_cursor(std::string_view text);

// What is shown of a result.
struct ContentsPage {
  std::string contents;          // A JSON array.
  std::optional<Position> rest;  // Where the next page begins. Nothing: all of the result has been shown.
  std::string next_uri;          // What the provider says continues behind its result, if all is shown.
};

// Shows what fits into `room` bytes, from a position on: JSON is cut between rows and stays valid, text
// between characters. Nothing where the result has no such position.
std::optional<ContentsPage> show_contents(const protocol::ReadResult& result, const Position& from,
                                          std::size_t room);

}  // namespace sluice::mirror

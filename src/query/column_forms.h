#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"

namespace sluice::query {

// A column of a text file before its type is settled.
struct TextColumn {
  std::string name;            // In the relation of texts.
  std::string detected;        // The SQL type that the engine takes it for.
  bool is_configured = false;  // The operator has chosen the type.
  bool may_be_date = false;    // Its first values look like dates, whatever the engine takes it for.
};

// How a column is read.
struct ColumnForm {
  std::string type;        // As SQL names it.
  std::string expression;  // What makes the value of the column's text; empty: it is read as that type.
};

struct ColumnForms {
  std::vector<ColumnForm> columns;  // In the order of the texts.
  std::vector<std::string> notes;   // What a reader of the schema should know, as sentences.
};

// The relation whose columns all are text, and what is known about it.
struct TextRelation {
  std::string sql;  // For FROM.
  // JSON says itself what is text; in CSV digits may be codes, such as 007, and an empty text is null for all
  // types but text.
  bool is_json = false;
  bool is_trusted = true;  // The types were detected from all rows.
};

// Settles the types of columns so that no digit is lost and no date is guessed: numbers that a double or an
// integer would change become decimals or stay text, and dates that fit two orders are read in the one that
// gives regular steps or stay text. Reads all rows.
Result<ColumnForms> settle_types(engine::Engine& engine, const engine::RunLimits& limits,
                                 const TextRelation& texts, const std::vector<TextColumn>& columns);

}  // namespace sluice::query

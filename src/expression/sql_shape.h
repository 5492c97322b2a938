#pragma once

#include <map>
#include <string>
#include <string_view>

#include "sluice/engine/type.h"

namespace sluice::expression {

// What kind of value an expression can have, beyond one number, date or text of the data.
struct Shape {
  bool is_nested = false;  // A list, a struct or a map: as text it is longer, with its quotes escaped.
  bool has_plain_elements = false;  // A list of numbers, dates or texts; false if that is not known.
  bool collects_text = false;       // The text of any number of rows (string_agg).
  bool collects_lists = false;      // The values of any number of rows (list).
  bool is_shared = false;           // The same collected value may stand in many rows.
  bool is_captured = false;  // In a lambda: a value from outside of it, which stands beside every element.
  const engine::Type* type = nullptr;  // Of a column or a part of one, if known. The table keeps it alive.

  static Shape of(const engine::Type& type);
  // A member of a struct, or an element of a list; of the same kind if the type is not known.
  Shape member(std::string_view name) const;
  Shape element() const;

  Shape operator|(const Shape& other) const {
    Shape out{.is_nested = is_nested || other.is_nested,
              .has_plain_elements =
                  (has_plain_elements || !is_nested) && (other.has_plain_elements || !other.is_nested),
              .collects_text = collects_text || other.collects_text,
              .collects_lists = collects_lists || other.collects_lists,
              .is_shared = is_shared || other.is_shared,
              .is_captured = is_captured || other.is_captured,
              .type = type == other.type ? type : nullptr};
    if (is_plain()) out.type = other.type;
    if (other.is_plain()) out.type = type;
    return out;
  }
  bool collects() const { return collects_text || collects_lists; }
  bool is_plain() const { return !is_nested && !collects(); }
};

// The shapes of columns by their names in lower case; plain columns are not listed.
struct ColumnShapes {
  std::map<std::string, Shape> named;
  Shape others;  // Columns whose names are not known here.

  Shape of(const std::string& name) const;
  Shape all() const;
  void add(const std::string& name, const Shape& shape);
  void add(const ColumnShapes& other);
};

}  // namespace sluice::expression

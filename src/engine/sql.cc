#include "sluice/engine/sql.h"

#include "sluice/engine/database.h"

namespace sluice::engine {

namespace {

std::string quote(std::string_view text, char mark) {
  std::string out;
  out.reserve(text.size() + 2);
  out += mark;
  for (const char c : text) {
    if (c == mark) out += mark;
    out += c;
  }
  out += mark;
  return out;
}

}  // namespace

std::string quote_name(std::string_view name) { return quote(name, '"'); }

std::string quote_text(std::string_view text) { return quote(text, '\''); }

std::string quote_table(const TableName& table) {
  if (table.schema.empty()) return quote_name(table.name);
  return quote_name(table.schema) + "." + quote_name(table.name);
}

}  // namespace sluice::engine

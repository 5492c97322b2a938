#include "sqlite_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/engine/sql.h"

namespace sluice::plan {

namespace {

bool has_any(std::string_view declared, std::initializer_list<std::string_view> parts) {
  const std::string lower = to_lower_ascii(declared);
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return lower.find(part) != std::string::npos; });
}

}  // namespace

bool has_text_affinity(std::string_view declared) {
  return !has_any(declared, {"int"}) && has_any(declared, {"char", "clob", "text"});
}

bool has_numeric_affinity(std::string_view declared) {
  if (has_any(declared, {"int"})) return true;
  // ANY keeps everything as it is in a STRICT table.
  return !declared.empty() && !equal_ignoring_case(declared, "any") &&
         !has_any(declared, {"char", "clob", "text", "blob"});
}

bool is_ambiguous(const DatabaseColumn& column, std::string_view text) {
  if (text.starts_with("x'")) return true;
  if (has_text_affinity(column.theirs->declared)) return false;
  return text == "Infinity" || text == "-Infinity" ||
         text.find_first_not_of("0123456789+-.eE \t\r\n\f\v") == std::string_view::npos;
}

std::string sqlite_shown(const DatabaseColumn& column) {
  const std::string name = column.reference();
  return fmt::format("iif(typeof({0}) = 'text', {0}, shown_text({0}))", name);
}

std::string sqlite_text_condition(Sign sign, const DatabaseColumn& column, std::string_view text,
                                  const std::string& placeholder) {
  const std::string exact = fmt::format("{} {} {}", sqlite_shown(column),
                                        comparison_with(sign, Operand::Place::kEqual).sign, placeholder);
  if (sign == Sign::kNeq || is_ambiguous(column, text)) return exact;
  // What follows can be looked up in an index on the column. Numbers sort before texts, and blobs behind.
  const std::string name = column.reference() + " COLLATE BINARY";
  if (sign == Sign::kEq) return fmt::format("{} = {}", name, placeholder);
  const bool is_upward = sign == Sign::kGt || sign == Sign::kGte;
  return fmt::format("(({0} {1} {2} OR {0} {3}) AND {4})", name, is_upward ? ">=" : "<=", placeholder,
                     is_upward ? "< ''" : ">= x''", exact);
}

}  // namespace sluice::plan

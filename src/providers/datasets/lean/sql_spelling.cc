#include "sluice/datasets/sql_spelling.h"

#include <algorithm>
#include <array>

#include "sluice/base/text.h"
#include "sluice/engine/sql.h"

namespace sluice::datasets {

namespace {

// Words that cannot name a table or column without quotes, sorted.
constexpr std::array<std::string_view, 110> kReservedWords = {"all",
                                                              "analyse",
                                                              "analyze",
                                                              "and",
                                                              "anti",
                                                              "any",
                                                              "array",
                                                              "as",
                                                              "asc",
                                                              "asof",
                                                              "asymmetric",
                                                              "at",
                                                              "authorization",
                                                              "binary",
                                                              "both",
                                                              "by",
                                                              "case",
                                                              "cast",
                                                              "check",
                                                              "collate",
                                                              "collation",
                                                              "column",
                                                              "columns",
                                                              "concurrently",
                                                              "constraint",
                                                              "create",
                                                              "cross",
                                                              "default",
                                                              "deferrable",
                                                              "desc",
                                                              "describe",
                                                              "distinct",
                                                              "do",
                                                              "else",
                                                              "end",
                                                              "except",
                                                              "false",
                                                              "fetch",
                                                              "for",
                                                              "foreign",
                                                              "freeze",
                                                              "from",
                                                              "full",
                                                              "generated",
                                                              "glob",
                                                              "group",
                                                              "having",
                                                              "ilike",
                                                              "in",
                                                              "initially",
                                                              "inner",
                                                              "intersect",
                                                              "into",
                                                              "is",
                                                              "isnull",
                                                              "join",
                                                              "lambda",
                                                              "lateral",
                                                              "leading",
                                                              "left",
                                                              "like",
                                                              "limit",
                                                              "map",
                                                              "natural",
                                                              "not",
                                                              "notnull",
                                                              "null",
                                                              "offset",
                                                              "on",
                                                              "only",
                                                              "or",
                                                              "order",
                                                              "outer",
                                                              "overlaps",
                                                              "pivot",
                                                              "pivot_longer",
                                                              "pivot_wider",
                                                              "placing",
                                                              "positional",
                                                              "primary",
                                                              "qualify",
                                                              "references",
                                                              "returning",
                                                              "right",
                                                              "select",
                                                              "semi",
                                                              "show",
                                                              "similar",
                                                              "some",
                                                              "struct",
                                                              "summarize",
                                                              "symmetric",
                                                              "table",
                                                              "tablesample",
                                                              "then",
                                                              "to",
                                                              "trailing",
                                                              "true",
                                                              "try_cast",
                                                              "union",
                                                              "unique",
                                                              "unpack",
                                                              "unpivot",
                                                              "using",
                                                              "variadic",
                                                              "verbose",
                                                              "when",
                                                              "where",
                                                              "window",
                                                              "with"};

bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool is_plain(std::string_view name) {
  if (name.empty() || !is_name_start(name.front())) return false;
  const bool has_plain_characters = std::all_of(
      name.begin(), name.end(), [](char c) { return is_name_start(c) || (c >= '0' && c <= '9'); });
  const std::string lower = to_lower_ascii(name);
  return has_plain_characters &&
         !std::binary_search(kReservedWords.begin(), kReservedWords.end(), std::string_view(lower));
}

}  // namespace

std::string sql_spelling(std::string_view name) {
  return is_plain(name) ? std::string(name) : engine::quote_name(name);
}

}  // namespace sluice::datasets

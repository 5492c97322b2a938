#include "sluice/query/row_order.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "sluice/base/text.h"

namespace sluice::query {

namespace {

// Clauses and functions whose result depends on which row comes first.
constexpr std::array<std::string_view, 14> kSeeOrder = {"limit",  "numbered", "over",  "first",      "last",
                                                        "list",   "array",    "agg",   "any_value",  "arg_",
                                                        "min_by", "max_by",   "mode(", "distinct on"};

struct Words {
  std::string all;    // Without texts in quotes. Names may be those of functions, and stay.
  std::string outer;  // Nor what is in brackets: the words of the outermost SELECT.
};

Words words_of(std::string_view sql) {
  Words out;
  int depth = 0;
  char quote = 0;
  for (const char c : sql) {
    if (quote == '\'') {
      if (c == quote) quote = 0;
      continue;
    }
    out.all += c;
    if (quote != 0) {
      if (c == quote) quote = 0;
      continue;
    }
    if (c == '\'' || c == '"') quote = c;
    if (c == ')') --depth;
    if (depth == 0) out.outer += c;
    if (c == '(') ++depth;
  }
  return out;
}

bool has(std::string_view text, std::string_view word) { return text.find(word) != std::string_view::npos; }

}  // namespace

bool depends_on_order(const expression::Question& question) {
  const Words words = words_of(to_lower_ascii(question.sql));
  const auto is_used = [&](std::string_view word) { return has(words.all, word); };
  if (std::any_of(kSeeOrder.begin(), kSeeOrder.end(), is_used)) return true;
  const bool is_total = question.rows_max == 1;
  return !is_total && (!has(words.outer, "group by") || has(words.outer, "union"));
}

}  // namespace sluice::query

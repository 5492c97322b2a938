#include "used_parameters.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::plan {

namespace {

// Calls `copy` with each piece of text between placeholders, and `placeholder` with the number of each.
// Quoted names and texts are no placeholders.
template <typename Copy, typename Placeholder>
void split(std::string_view sql, const Copy& copy, const Placeholder& placeholder) {
  char quote = '\0';
  std::size_t begin = 0;
  for (std::size_t i = 0; i < sql.size(); ++i) {
    const char c = sql[i];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '$') {
      std::size_t number = 0;
      const auto parsed = std::from_chars(sql.data() + i + 1, sql.data() + sql.size(), number);
      if (parsed.ec != std::errc{}) continue;
      copy(sql.substr(begin, i - begin));
      placeholder(number);
      begin = static_cast<std::size_t>(parsed.ptr - sql.data());
      i = begin - 1;
    }
  }
  copy(sql.substr(begin));
}

}  // namespace

engine::Statement with_used_parameters(engine::Statement statement) {
  std::vector<bool> is_used(statement.parameters.size() + 1, false);
  split(
      statement.sql, [](std::string_view) {}, [&](std::size_t number) { is_used.at(number) = true; });
  if (std::all_of(is_used.begin() + 1, is_used.end(), [](bool used) { return used; })) return statement;
  engine::Statement out;
  std::vector<std::size_t> places(is_used.size(), 0);
  for (std::size_t number = 1; number < is_used.size(); ++number) {
    if (!is_used[number]) continue;
    out.parameters.push_back(std::move(statement.parameters[number - 1]));
    places[number] = out.parameters.size();
  }
  split(
      statement.sql, [&](std::string_view text) { out.sql += text; },
      [&](std::size_t number) { out.sql += "$" + std::to_string(places[number]); });
  return out;
}

}  // namespace sluice::plan

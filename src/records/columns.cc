#include "sluice/records/columns.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/json/value.h"

namespace sluice::records {

namespace {

constexpr std::size_t kNamesListed = 100;
constexpr std::size_t kNamesInAMessage = 10;
constexpr std::size_t kNamesCompared = 2'000;  // For the nearest one.
constexpr std::size_t kNameBytesListed = 128;

std::vector<std::string> names_of(std::span<const engine::Field> columns) {
  std::vector<std::string> out;
  for (const engine::Field& column : columns.subspan(0, std::min(columns.size(), kNamesCompared))) {
    out.push_back(column.name);
  }
  return out;
}

}  // namespace

Error unknown_columns(std::span<const engine::Field> columns, std::span<const std::string> names,
                      std::string_view what) {
  std::string message(what);
  message += ": [";
  for (std::size_t i = 0; i < names.size() && i < kNamesInAMessage; ++i) {
    message += fmt::format("{}'{}'", i == 0 ? "" : ", ", excerpt(names[i]));
  }
  message += names.size() > kNamesInAMessage ? ", …]" : "]";
  const std::vector<std::string> known = names_of(columns);
  const std::string nearest = names.empty() ? "" : nearest_name(names.front(), known);
  std::string hint = nearest.empty() ? "" : fmt::format("Did you mean {}? ", excerpt(nearest));
  json::Array available;
  for (const std::string& name : known) {
    if (available.size() == kNamesListed) break;
    available.emplace_back(excerpt(name, kNameBytesListed));
  }
  hint += known.size() > kNamesListed ? "get_schema lists all columns."
                                      : "available_columns lists what there is.";
  return invalid_input(message)
      .with_code("unknown_column")
      .with_hint(hint)
      .with_data(json::to_text(json::Object{{"available_columns", std::move(available)}}));
}

Result<const engine::Field*> find_column(std::span<const engine::Field> columns, std::string_view name) {
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [&](const engine::Field& one) { return one.name == name; });
  if (found != columns.end()) return &*found;
  const std::string wanted(name);
  return unknown_columns(columns, std::span(&wanted, 1));
}

}  // namespace sluice::records

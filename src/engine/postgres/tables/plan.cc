#include "tables/plan.h"

#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>

namespace sluice::engine::postgres {

namespace {

// The number behind a key. The outermost step comes first, and its own keys before those of others.
std::optional<double> number_behind(std::string_view json, std::string_view key) {
  const std::size_t at = json.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  json.remove_prefix(at + key.size());
  double value = 0;
  if (std::from_chars(json.data(), json.data() + json.size(), value).ec != std::errc()) return std::nullopt;
  return value;
}

}  // namespace

Result<PlanGuess> guess_of(const PGresult* answer) {
  if (PQntuples(answer) != 1 || PQnfields(answer) != 1) return internal_error("read the plan of a statement");
  const std::string_view json = PQgetvalue(answer, 0, 0);
  const std::optional<double> rows = number_behind(json, "\"Plan Rows\": ");
  const std::optional<double> width = number_behind(json, "\"Plan Width\": ");
  if (!rows || !width) return internal_error("read the plan of a statement");
  return PlanGuess{.rows = *rows, .width = *width};
}

}  // namespace sluice::engine::postgres

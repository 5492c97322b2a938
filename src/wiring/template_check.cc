#include "template_check.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/clock.h"
#include "sluice/base/text.h"
#include "sluice/databases/databases.h"

namespace sluice::wiring {

namespace {

constexpr std::chrono::seconds kStatementCheckTime{10};
constexpr std::uint64_t kCheckedBytesMax = 4'096;

std::string without_end(std::string_view sql) {
  const std::size_t last = sql.find_last_not_of(" \t\r\n;");
  return std::string(sql.substr(0, last == std::string_view::npos ? 0 : last + 1));
}

CheckLine check_statement(const databases::Databases& databases, const templates::TemplateSpec& spec) {
  const databases::Databases::Ask ask{
      .database = spec.database,
      // On a line of its own: the statement may end with a comment.
      .sql = fmt::format("SELECT * FROM ({}\n) AS checked LIMIT 0", without_end(spec.sql)),
      .parameters = std::vector<std::string>(spec.parameters.size()),
      .rows_max = 1,
      .bytes_max = kCheckedBytesMax};
  const Result<std::vector<std::string>> rows =
      databases.ask(ask, {.deadline = system_clock().now() + kStatementCheckTime, .stop = {}});
  CheckLine line{.ok = true, .subject = "template " + excerpt(spec.uri), .finding = "its statement is valid"};
  if (rows.ok()) return line;
  // The values are made up, and need not be ones that the statement can compare with.
  const std::string& code = rows.error().code;
  if (code == "invalid_value" || code == "out_of_range") return line;
  line.ok = false;
  line.finding = rows.error().message;
  return line;
}

}  // namespace

std::vector<CheckLine> check_templates(const config::Config& config) {
  const bool has_statements =
      std::any_of(config.templates.begin(), config.templates.end(),
                  [](const templates::TemplateSpec& spec) { return !spec.sql.empty(); });
  if (!has_statements) return {};
  query::Registry registry;
  const Result<std::unique_ptr<databases::Databases>> opened =
      databases::Databases::open(config.databases, registry, std::make_shared<engine::Sources>());
  if (!opened.ok()) return {{.ok = false, .subject = "templates", .finding = opened.error().message}};
  std::vector<CheckLine> lines;
  for (const templates::TemplateSpec& spec : config.templates) {
    if (!spec.sql.empty()) lines.push_back(check_statement(**opened, spec));
  }
  return lines;
}

}  // namespace sluice::wiring

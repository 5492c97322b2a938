#include "wire_databases.h"

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"

namespace sluice::wiring {

namespace {

constexpr std::chrono::seconds kDatabaseCheckTime{10};

}  // namespace

CheckLine line_of(const databases::Databases::Health& health) {
  const std::string subject = "database " + health.name;
  if (!health.health.ok()) {
    std::string finding = health.health.error().message;
    if (!health.health.error().hint.empty()) finding += ". " + health.health.error().hint;
    return {.ok = false, .subject = subject, .finding = std::move(finding)};
  }
  std::string finding = health.health->product;
  if (!health.health->role.empty()) finding += " as " + excerpt(health.health->role);
  finding += fmt::format(", {} tables and views", health.tables);
  if (!health.health->powers.empty()) {
    std::string powers;
    for (const std::string& power : health.health->powers) powers += (powers.empty() ? "" : ", ") + power;
    finding += fmt::format("; its role is more than a reader: {}", powers);
  }
  return {.ok = true, .subject = subject, .finding = std::move(finding)};
}

std::vector<CheckLine> check_databases(const config::Config& config) {
  if (config.databases.empty()) return {};
  query::Registry registry;
  const Result<std::unique_ptr<databases::Databases>> opened =
      databases::Databases::open(config.databases, registry, std::make_shared<engine::Sources>());
  if (!opened.ok()) return {{.ok = false, .subject = "databases", .finding = opened.error().message}};
  std::vector<CheckLine> lines;
  for (const auto& health :
       (*opened)->check({.deadline = system_clock().now() + kDatabaseCheckTime, .stop = {}}))
    lines.push_back(line_of(health));
  return lines;
}

}  // namespace sluice::wiring

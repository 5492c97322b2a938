#include "wire_git.h"

#include <fmt/format.h>

#include "sluice/base/text.h"

namespace sluice::wiring {

namespace {

std::string finding(const git::RepositorySummary& summary) {
  const std::string where =
      summary.branch.empty() ? "no branch checked out" : "on " + excerpt(summary.branch, 200);
  return fmt::format("{}, {} branches, {} tags{}{}", where, summary.branches, summary.tags,
                     summary.is_bare ? ", bare" : "",
                     summary.has_alternates ? "; objects that it borrows (alternates) are not read" : "");
}

json::Object describe_repository(const git::RepositorySpec& repository) {
  json::Object out{{"name", repository.name}, {"kind", "git"}, {"scheme", "git"}};
  const Result<git::RepositorySummary> summary = git::summarize(repository);
  if (!summary.ok()) {
    out.set("error", summary.error().message);
    return out;
  }
  if (!summary->branch.empty()) out.set("branch", summary->branch);
  out.set("branches", summary->branches);
  out.set("tags", summary->tags);
  return out;
}

}  // namespace

std::vector<CheckLine> check_repositories(const config::Config& config) {
  std::vector<CheckLine> lines;
  for (const git::RepositorySpec& repository : config.git) {
    const Result<git::RepositorySummary> summary = git::summarize(repository);
    lines.push_back({.ok = summary.ok(),
                     .subject = "git " + repository.name,
                     .finding = summary.ok() ? finding(*summary) : summary.error().message});
  }
  return lines;
}

Status add_repositories(const config::Config& config, Providers& providers) {
  if (config.git.empty()) return {};
  SLUICE_TRY(providers.emplace_back(), git::make_git_provider(config.git));
  return {};
}

json::Array describe_repositories(const config::Config& config) {
  json::Array out;
  for (const git::RepositorySpec& repository : config.git) out.push_back(describe_repository(repository));
  return out;
}

}  // namespace sluice::wiring

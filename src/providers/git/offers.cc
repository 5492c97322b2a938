#include "offers.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"

namespace sluice::git {

namespace {

struct Offer {
  std::string_view place;  // Behind the prefix.
  std::string_view name;
  std::string_view description;
};

constexpr std::array kResources = {
    // In order.
    Offer{"branches", "Branches", "Branches of {} and of its remotes, each with its last commit"},
    Offer{"log", "Log", "The last commits of {} before HEAD; ?limit=, ?after= and ?path= choose others"},
    Offer{"status", "Status", "What differs in {} between HEAD, index and working tree"},
    Offer{"tags", "Tags", "Tags of {}, each with its commit"},
};

constexpr std::array kTemplates = {
    Offer{"commit/{id}", "Commit",
          "A commit: who, when, why, and its patch; ?offset=&length= reads a part, in bytes"},
    Offer{
        "diff/{range}", "Diff",
        "What differs between two commits: main..feature, or main...feature; ?offset=&length= reads a part, "
        "in bytes"},
    Offer{"log{?limit,after,path,format}", "Log", "The history of HEAD, page by page, also of one path"},
    Offer{"{ref}/commits", "Commits",
          "The history of a branch, tag or commit; ?limit=, ?after=, ?path=, ?format=json"},
    Offer{"{ref}/{+path}", "File at a ref",
          "A file or folder as it is at a branch, tag or commit; ?offset=&length= reads a part of a file, in "
          "bytes, "
          "?after= the names in a folder behind that one"},
};

}  // namespace

std::vector<protocol::Resource> resources_of(std::string_view prefix, std::string_view name, bool is_bare) {
  std::vector<protocol::Resource> out;
  for (const Offer& offer : kResources) {
    if (is_bare && offer.place == "status") continue;
    protocol::Resource made;
    made.uri = std::string(prefix) + std::string(offer.place);
    made.name = std::string(offer.name);
    made.description = fmt::format(fmt::runtime(offer.description), encode_controls(name));
    made.mime_type = "text/plain";
    out.push_back(std::move(made));
  }
  return out;
}

std::vector<protocol::ResourceTemplate> templates_of(Naming naming) {
  std::vector<protocol::ResourceTemplate> out;
  for (const Offer& offer : kTemplates) {
    protocol::ResourceTemplate made;
    made.uri_template = std::string(kBaseUri);
    if (naming == Naming::kSeveral) made.uri_template += "{repo}/";
    made.uri_template += offer.place;
    made.name = std::string(offer.name);
    made.description = std::string(offer.description);
    out.push_back(std::move(made));
  }
  std::sort(out.begin(), out.end(),
            [](const auto& a, const auto& b) { return a.uri_template < b.uri_template; });
  return out;
}

}  // namespace sluice::git

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace sluice::protocol {

struct PromptReference {
  std::string name;
};
struct TemplateReference {
  std::string uri_template;
};

struct CompletionRequest {
  std::variant<PromptReference, TemplateReference> reference;
  std::string argument;
  std::string typed;                                         // What the user has typed so far.
  std::map<std::string, std::string, std::less<>> resolved;  // Arguments that are already filled in.
};

struct Completion {
  std::vector<std::string> values;  // Best first; the server sends the first hundred.
  std::optional<std::uint64_t> total;
};

}  // namespace sluice::protocol

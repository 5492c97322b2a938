#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sluice/json/value.h"
#include "sluice/protocol/model/content.h"

namespace sluice::protocol {

struct PromptArgument {
  std::string name;
  std::optional<std::string> title;
  std::optional<std::string> description;
  bool required = false;
};

struct Prompt {
  std::string name;
  std::optional<std::string> title;
  std::optional<std::string> description;
  std::vector<PromptArgument> arguments;
  std::vector<Icon> icons;
  json::Object meta;
};

struct PromptMessage {
  Role role = Role::kUser;
  Content content;
};

struct PromptResult {
  std::optional<std::string> description;
  std::vector<PromptMessage> messages;
  json::Object meta;
};

using PromptArguments = std::map<std::string, std::string, std::less<>>;

}  // namespace sluice::protocol

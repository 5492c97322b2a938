#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sluice/json/value.h"

namespace sluice::protocol {

// A form for the user: a flat object of primitive properties.
struct ElicitForm {
  std::string message;
  json::Value schema;
};
// A page for the user to visit; what happens there does not pass through the client.
struct ElicitUrl {
  std::string message;
  std::string url;
  std::string
      id;  // Names this elicitation to clients of 2025-11-25; the server makes one up where it is empty.
};
// A completion by the client's model. `parameters` is the body of sampling/createMessage.
struct Sample {
  json::Object parameters;
};
// The folders the client is working in.
struct ListRoots {};

using QuestionBody = std::variant<ElicitForm, ElicitUrl, Sample, ListRoots>;

// `key` names the question within its request: the same call asks it again under the same key.
struct Question {
  std::string key;
  QuestionBody body;
};

enum class ElicitAction : std::uint8_t { kAccept, kDecline, kCancel };

struct ElicitAnswer {
  ElicitAction action = ElicitAction::kCancel;
  json::Object content;  // Checked against the form's schema when accepted.
};
struct SampleAnswer {
  json::Object result;  // The body of a CreateMessageResult: role, content, model, stopReason.
};
struct Root {
  std::string uri;
  std::optional<std::string> name;
};
struct RootsAnswer {
  std::vector<Root> roots;
};

using Answer = std::variant<ElicitAnswer, SampleAnswer, RootsAnswer>;

// What the client has said it can be asked.
struct ClientCapabilities {
  bool elicit_form = false;
  bool elicit_url = false;
  bool sample = false;
  bool roots = false;
  json::Object extensions;  // Extension id to its settings.
  bool tasks() const;       // The tasks extension is among them.
};

inline constexpr std::string_view kTasksExtension = "io.modelcontextprotocol/tasks";

}  // namespace sluice::protocol

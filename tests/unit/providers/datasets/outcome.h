#pragma once

#include <string>
#include <string_view>

#include "data_server.h"

namespace sluice::datasets::testing {

// How a call ended: with a result, or with an error that has a code.
struct Outcome {
  std::string code;  // Empty for a result. Of a JSON-RPC error its number.
  std::string text;  // The object that the tool answered with, or the error's message.

  bool ok() const { return code.empty(); }
  WireMessage answer() const;  // `text` as an object.
};

// Calls a tool, and fails the test where an error has no code or no hint, where it is the server's own fault,
// or where it tells where files are (`verbose_error`).
Outcome outcome(TestClient& client, std::string_view tool, std::string_view arguments);
Outcome outcome(DataServer& server, std::string_view tool, std::string_view arguments);
// The same about one dataset; `more` are further members, each after a comma.
Outcome about(DataServer& server, std::string_view tool, const std::string& dataset,
              const std::string& more = "");

// Whether a text names a place on this machine.
bool names_a_place(std::string_view text);

std::string in_json(std::string_view text);  // As a JSON string, with its quotes.

}  // namespace sluice::datasets::testing

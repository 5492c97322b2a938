#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

#include "sluice/json/value.h"

namespace sluice::server::testing {

// Reads a JSON text that a test wrote; a mistake in it ends the program.
json::Value parse(std::string_view text);

// One message of the server. Looking for what is not there gives null, "" or 0, so that a test fails with a
// comparison rather than a crash.
class WireMessage {
 public:
  using Step = std::variant<const char*, int>;

  WireMessage() = default;
  explicit WireMessage(json::Value value) : value_(std::move(value)) {}

  const json::Value& value() const { return value_; }
  const json::Value& at(std::initializer_list<Step> path) const;
  std::string text(std::initializer_list<Step> path) const;  // A string as it is, anything else as JSON.
  bool has(std::initializer_list<Step> path) const;
  std::size_t size(std::initializer_list<Step> path) const;

  bool is_result() const { return has({"result"}); }
  std::int64_t code() const;  // Of an error; 0 where this is none.
  std::string error() const { return text({"error", "message"}); }
  std::string method() const { return text({"method"}); }
  std::string id() const;  // As JSON; empty where there is none.

 private:
  json::Value value_;
};

void PrintTo(const WireMessage& message, std::ostream* out);

}  // namespace sluice::server::testing

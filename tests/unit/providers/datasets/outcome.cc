#include "outcome.h"

#include "sluice/json/reader.h"

namespace sluice::datasets::testing {

WireMessage Outcome::answer() const {
  Result<json::Value> value = json::read(text, {.bytes_max = 8'000'000, .values_max = 4'000'000});
  EXPECT_TRUE(value.ok()) << text.substr(0, 500);
  return WireMessage(value.ok() ? *std::move(value) : json::Value());
}

bool names_a_place(std::string_view text) {
  for (const std::string_view place : {"/proc", "/tmp", "/work", "/root", "/home", "/var", "/etc"}) {
    if (text.find(place) != std::string_view::npos) return true;
  }
  return false;
}

Outcome outcome(TestClient& client, std::string_view tool, std::string_view arguments) {
  const WireMessage reply = client.call_tool(tool, arguments);
  if (!reply.is_result()) {
    EXPECT_FALSE(names_a_place(reply.error())) << reply.error();
    EXPECT_NE(reply.code(), -32603) << reply.error();
    return {.code = std::to_string(reply.code()), .text = reply.error()};
  }
  Outcome out{.code = "", .text = reply.text({"result", "content", 0, "text"})};
  if (reply.text({"result", "isError"}) != "true") return out;
  const WireMessage error = out.answer();
  out.code = error.text({"code"});
  EXPECT_FALSE(out.code.empty()) << out.text;
  EXPECT_NE(out.code, "internal") << tool << " " << arguments.substr(0, 200) << ": " << out.text;
  // What is wrong with the form of an argument is all there is to say.
  EXPECT_TRUE(out.code == "invalid_input" || !error.text({"hint"}).empty()) << out.text;
  // What the caller said may be repeated.
  EXPECT_TRUE(names_a_place(arguments) || !names_a_place(out.text)) << out.text;
  return out;
}

Outcome outcome(DataServer& server, std::string_view tool, std::string_view arguments) {
  return outcome(server.client(), tool, arguments);
}

Outcome about(DataServer& server, std::string_view tool, const std::string& dataset,
              const std::string& more) {
  return outcome(server, tool, R"({"dataset":)" + in_json(dataset) + more + "}");
}

std::string in_json(std::string_view text) { return json::to_text(json::Value(text)); }

}  // namespace sluice::datasets::testing

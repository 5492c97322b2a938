// A complete MCP client: starts a server (hello_client PROGRAM [ARGUMENT]...) or connects to one
// (hello_client URL), whichever protocol era it speaks, and shows what it has.
#include <cstdio>
#include <string>

#include "sluice/client/client.h"

using namespace sluice;

namespace {

int fail(const Error& error) {
  std::fprintf(stderr, "%s (%s)\n", error.message.c_str(), error.code.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: hello_client URL | PROGRAM [ARGUMENT]...\n"), 2;
  const std::string first = argv[1];
  client::Target target = client::Endpoint{.url = first};
  if (!first.starts_with("http"))
    target = client::Command{.program = first, .arguments = {argv + 2, argv + argc}};

  auto created = client::Client::create(target);
  if (!created) return fail(created.error());
  client::Client& server = **created;

  const auto info = server.connect();
  if (!info) return fail(info.error());
  std::printf("%s, revision %s\n", info->implementation.name.c_str(),
              std::string(to_string(info->revision)).c_str());

  const auto tools = server.list_tools();
  if (!tools) return fail(tools.error());
  for (const auto& tool : *tools) std::printf("tool %s\n", tool.name.c_str());

  const auto greeting = server.call_tool("greet", {{"name", "you"}});
  if (!greeting) return fail(greeting.error());
  for (const auto& content : greeting->content) {
    if (const auto* text = std::get_if<protocol::TextContent>(&content.body))
      std::printf("%s\n", text->text.c_str());
  }
  return 0;
}

// Answers questions about the texts of configuration files, for tests in other languages. A question on
// standard input is a line "HOST VERB NAME BYTES" and so many bytes of text; the answer a line "ok BYTES" or
// "error BYTES" and as many bytes. The verbs are `add` (the server `/opt/sluice serve /data`), `remove`, and
// `read`, whose answer has a line for each word of each server.
#include <iostream>
#include <string>

#include "sluice/hosts/host.h"
#include "sluice/hosts/server_entry.h"

namespace {

using namespace sluice;

Result<std::string> servers_of(const hosts::HostShape& shape, const std::string& text) {
  SLUICE_TRY(const std::vector<hosts::NamedServer> servers, hosts::read_servers(shape, text));
  std::string lines;
  for (const hosts::NamedServer& server : servers) {
    lines += "server " + server.name + "\n" + server.entry.command + "\n";
    for (const std::string& argument : server.entry.arguments) lines += argument + "\n";
  }
  return lines;
}

Result<std::string> answer(const std::string& host, const std::string& verb, const std::string& name,
                           const std::string& text) {
  const hosts::Host* const found = hosts::find_host(host);
  if (found == nullptr) return not_found("no host " + host);
  if (verb == "read") return servers_of(found->shape, text);
  if (verb == "remove") return hosts::remove_server(found->shape, text, name);
  return hosts::add_server(found->shape, text, name,
                           {.command = "/opt/sluice", .arguments = {"serve", "/data"}});
}

}  // namespace

int main() {
  std::string host;
  std::string verb;
  std::string name;
  std::size_t bytes = 0;
  while (std::cin >> host >> verb >> name >> bytes) {
    std::cin.get();
    std::string text(bytes, '\0');
    std::cin.read(text.data(), static_cast<std::streamsize>(bytes));
    const Result<std::string> result = answer(host, verb, name, text);
    const std::string& said = result.ok() ? result.value() : result.error().message;
    std::cout << (result.ok() ? "ok " : "error ") << said.size() << "\n" << said << std::flush;
  }
}

// A server that was added to the configuration of a host is there once, and goes again.
#include <algorithm>
#include <string>

#include "sluice/hosts/host.h"
#include "sluice/hosts/server_entry.h"

#include "property.h"

namespace {

using namespace sluice;

std::size_t servers_named(const hosts::HostShape& shape, std::string_view text, std::string_view name,
                          const hosts::ServerEntry& entry) {
  const Result<std::vector<hosts::NamedServer>> servers = hosts::read_servers(shape, text);
  require(servers.ok(), "what was written can be read");
  return static_cast<std::size_t>(std::count_if(
      servers->begin(), servers->end(),
      [&](const hosts::NamedServer& server) { return server.name == name && server.entry == entry; }));
}

}  // namespace

// The first line is the host, the rest its file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto [id, text] = two_texts(text_of(data, size));
  const hosts::Host* const host = hosts::find_host(id);
  if (host == nullptr) return 0;
  const hosts::ServerEntry entry = {.command = "/opt/sluice \"\x7f", .arguments = {"serve", "/data\n"}};
  const std::string name = "my \"server\"";
  const Result<std::string> added = hosts::add_server(host->shape, text, name, entry);
  if (!added.ok()) {
    require(added.error().message.starts_with("line "), "a refusal names the place");
    return 0;
  }
  require(servers_named(host->shape, *added, name, entry) == 1, "the server is there once");
  const Result<std::string> again = hosts::add_server(host->shape, *added, name, entry);
  require(again.ok() && *again == *added, "a second time changes nothing");
  const Result<std::string> removed = hosts::remove_server(host->shape, *added, name);
  require(removed.ok(), "what was added can be removed");
  require(servers_named(host->shape, *removed, name, entry) == 0, "the server is gone");
  return 0;
}

// The client of docs/guides/write-a-client.md: starts the server that it is given, and uses everything that
// it offers.
#include <chrono>
#include <cstdio>
#include <semaphore>
#include <string>

#include "sluice/client/client.h"

using namespace sluice;

namespace {

std::string text_of(const protocol::ToolResult& result) {
  for (const protocol::Content& content : result.content) {
    if (const auto* text = std::get_if<protocol::TextContent>(&content.body)) return text->text;
  }
  return "";
}

Status add_note(client::Client& server, const std::string& title, const std::string& text) {
  SLUICE_TRY(const protocol::ToolResult result,
             server.call_tool("add_note", {{"title", title}, {"text", text}}));
  // A tool that fails answers with a result: models read it. Only a call that cannot be made is an error.
  std::printf("%s: %s\n", result.is_error ? "refused" : "added", text_of(result).c_str());
  return {};
}

Status read_note(client::Client& server, const std::string& uri) {
  SLUICE_TRY(const protocol::ReadResult read, server.read_resource(uri));
  if (const auto* text = std::get_if<protocol::TextBody>(&read.contents.front().body))
    std::printf("read: %s\n", text->text.c_str());
  return {};
}

Status count_words(client::Client& server) {
  client::CallOptions options;
  options.timeout = std::chrono::seconds(10);
  options.on_progress = [](const protocol::Progress& progress) {
    if (progress.done > 0) std::printf("counted: %.0f bytes\n", progress.done);
  };
  SLUICE_TRY(const protocol::ToolResult result,
             server.call_tool("count_words", {{"text", std::string(5'000, 'a') + " b"}}, options));
  std::printf("words: %s\n", text_of(result).c_str());
  return {};
}

Status run(client::Target target) {
  std::binary_semaphore changed(0);
  client::ClientOptions options;
  options.on_resource_updated = [&changed](const std::string& uri) {
    std::printf("changed: %s\n", uri.c_str());
    changed.release();
  };
  SLUICE_TRY(const auto server, client::Client::create(std::move(target), std::move(options)));
  SLUICE_TRY(const client::ServerInfo info, server->connect());
  std::printf("connected: %s\n", info.implementation.name.c_str());

  SLUICE_CHECK(server->subscribe("notes://plan"));
  SLUICE_CHECK(add_note(*server, "plan", "Small first."));
  if (!changed.try_acquire_for(std::chrono::seconds(10)))
    return unavailable("wait for a change: notes://plan");
  SLUICE_CHECK(add_note(*server, "plan", "Again."));
  SLUICE_CHECK(read_note(*server, "notes://plan"));
  SLUICE_CHECK(count_words(*server));

  const Result<protocol::ReadResult> missing = server->read_resource("notes://nothing");
  if (!missing) std::printf("failed: %s\n", missing.error().message.c_str());
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: notes_client URL | PROGRAM [ARGUMENT]...\n"), 2;
  const std::string first = argv[1];
  client::Target target = client::Endpoint{.url = first};
  if (!first.starts_with("http"))
    target = client::Command{.program = first, .arguments = {argv + 2, argv + argc}};
  const Status status = run(std::move(target));
  if (!status.ok())
    std::fprintf(stderr, "%s (%s)\n", status.error().message.c_str(), status.error().code.c_str());
  return status.ok() ? 0 : 1;
}

#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "sluice/catalog/registry.h"
#include "sluice/json/value.h"

// A server that shows every feature of the protocol. The conformance suite and the tests call it by these
// names.
namespace everything {

using sluice::Result;
using sluice::catalog::Context;
using sluice::catalog::Registry;
namespace json = sluice::json;
namespace protocol = sluice::protocol;

void add_content_tools(Registry& registry);
void add_asking_tools(Registry& registry);
void add_retry_tools(Registry& registry);
void add_task_tools(Registry& registry);
void add_schema_tools(Registry& registry);
// Tools that change the lists while the server runs.
void add_changing_tools(const std::shared_ptr<Registry>& registry);
void add_resources(Registry& registry);
void add_prompts(Registry& registry);

// A tool whose input schema is the given JSON text; the default takes no arguments.
protocol::Tool make_tool(std::string name, std::string description,
                         std::string_view schema = R"({"type":"object","additionalProperties":false})");
// JSON from a literal in this program.
json::Value literal(std::string_view text);
// Waits, or returns false as soon as the call is cancelled.
bool pause(Context& context, std::chrono::milliseconds duration);

std::string red_pixel_png();
std::string silent_wav();

}  // namespace everything

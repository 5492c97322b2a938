#include "sample_parts.h"

#include <functional>
#include <map>
#include <stdexcept>

#include <gtest/gtest.h>

#include "wire_message.h"

namespace sluice::transcripts {

namespace {

using server::testing::Context;
using server::testing::parse;
using server::testing::TestServer;
using ToolAnswer = Result<protocol::ToolResult>;
using ReadAnswer = Result<protocol::ReadResult>;

protocol::Content content(auto body) { return {.body = std::move(body), .annotations = {}, .meta = {}}; }

// A result with one block of every kind.
ToolAnswer every_content(const json::Object&, Context&) {
  protocol::ToolResult result;
  result.content.push_back(protocol::text_content("text"));
  result.content.push_back(content(protocol::ImageContent{.bytes = "\x89PNG", .mime_type = "image/png"}));
  result.content.push_back(content(protocol::AudioContent{.bytes = "RIFF", .mime_type = "audio/wav"}));
  protocol::Resource link;
  link.uri = "memo:linked";
  link.name = "linked";
  link.title = "A linked memo";
  result.content.push_back(content(protocol::ResourceLink{link}));
  protocol::ResourceContents embedded;
  embedded.uri = "memo:embedded";
  embedded.mime_type = "text/plain";
  embedded.body = protocol::TextBody{"embedded"};
  result.content.push_back(content(protocol::EmbeddedResource{embedded}));
  protocol::ResourceContents blob;
  blob.uri = "memo:blob";
  blob.body = protocol::BlobBody{std::string("\0\1\2", 3)};
  result.content.push_back(content(protocol::EmbeddedResource{blob}));
  result.content.front().annotations =
      protocol::Annotations{.audience = {protocol::Role::kUser}, .priority = 0.5, .last_modified = {}};
  result.structured = json::Object{{"answer", 42}};
  return result;
}

void add_full_tool(TestServer& server) {
  protocol::Tool tool;
  tool.name = "full";
  tool.title = "Full";
  tool.output_schema = parse(R"({"type":"object"})");
  tool.annotations = protocol::ToolAnnotations{.title = {}, .read_only = true};
  tool.icons.push_back({.src = "https://example.org/i.png", .mime_type = "image/png", .sizes = {"48x48"}});
  tool.meta = json::Object{{"example.org/kind", "test"}};
  server.registry->add_tool(tool, every_content);
}

void add_failing_tools(TestServer& server) {
  server.add_tool("fail", [](const json::Object&, Context&) -> ToolAnswer {
    return not_found("open table: sales").with_code("no_such_table").with_hint("Try sales_2024.");
  });
  server.add_tool("sorry", R"({"type":"object","required":["n"]})",
                  [](const json::Object&, Context&) -> ToolAnswer {
                    protocol::ToolResult result = protocol::text_result("sorry");
                    result.is_error = true;
                    return result;
                  });
  server.add_tool("throw", [](const json::Object&, Context&) -> ToolAnswer {
    throw std::runtime_error("a secret detail");
  });
  server.add_tool("throw_odd", [](const json::Object&, Context&) -> ToolAnswer { throw 42; });
  server.add_tool("picky", [](const json::Object&, Context&) -> ToolAnswer {
    return make_error(ErrorKind::kMissingCapability, "something is missing");
  });
}

// Their results do not fit their schemas.
void add_lying_tools(TestServer& server) {
  server.add_tool("liar", R"({"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]})",
                  [](const json::Object&, Context&) -> ToolAnswer {
                    return protocol::structured_result(json::Object{{"n", "secret"}});
                  });
  server.add_tool("mute", R"({"type":"object"})",
                  [](const json::Object&, Context&) -> ToolAnswer { return protocol::text_result("{}"); });
}

void add_pick(TestServer& server) {
  server.add_tool(
      "pick",
      [](const json::Object& arguments, Context&) -> ToolAnswer {
        EXPECT_TRUE(arguments.contains("filters")) << "the handler must not see invalid arguments";
        return protocol::text_result("picked");
      },
      R"({"type":"object","properties":{"filters":{"type":"array","items":{"type":"object",
          "properties":{"op":{"enum":["=","<"]}}}},"limit":{"type":"integer","maximum":10}},
          "required":["filters"],"additionalProperties":false})");
}

void add_describing_tools(TestServer& server) {
  server.add_tool("count", [](const json::Object& arguments, Context&) -> ToolAnswer {
    return protocol::text_result(std::to_string(arguments.size()));
  });
  server.add_tool("meta", [](const json::Object&, Context& context) -> ToolAnswer {
    return protocol::text_result(json::to_text(*context.meta().find("example.org/trace")));
  });
  server.add_tool("who", [](const json::Object&, Context& context) -> ToolAnswer {
    return protocol::text_result(context.principal().id);
  });
  server.add_tool("bytes", [](const json::Object&, Context&) -> ToolAnswer {
    return protocol::text_result("a\xff\xc3(b");
  });
  server.add_tool("numbers", R"({"type":"array","items":{"type":"integer"}})",
                  [](const json::Object&, Context&) -> ToolAnswer {
                    return protocol::structured_result(json::Array{1, 2, 3});
                  });
}

void add_routed(TestServer& server) {
  server.add_tool(
      "routed", [](const json::Object&, Context&) -> ToolAnswer { return protocol::text_result("routed"); },
      R"({"type":"object","properties":{
          "region":{"type":"string","x-mcp-header":"Region"},"size":{"type":"integer","x-mcp-header":"Size"},
          "dry":{"type":"boolean","x-mcp-header":"Dry"},
          "nested":{"type":"object","properties":{"deep":{"type":"string","x-mcp-header":"Deep"}}}}})");
}

protocol::ReadResult read_result(const ResourceUri& uri, auto body) {
  protocol::ResourceContents contents;
  contents.uri = uri.text();
  contents.body = std::move(body);
  protocol::ReadResult result;
  result.contents.push_back(std::move(contents));
  return result;
}

void add_blob(TestServer& server) {
  server.registry->add_resource({.uri = "memo:blob", .name = "blob"},
                                [](const ResourceUri& uri, Context&) -> ReadAnswer {
                                  return read_result(uri, protocol::BlobBody{std::string("\0\xff\0", 3)});
                                });
}

void add_failing_resources(TestServer& server) {
  const std::map<std::string, Error> failures = {
      {"memo:encoding",
       unsupported("encoding EBCDIC").with_code("unsupported_encoding").with_hint("Convert it.")},
      {"memo:large", limit_reached("bytes", 7).with_code("oversize_result").with_hint("Ask for less.")},
      {"memo:down", unavailable("open database: /data/sales.db")}};
  for (const auto& [uri, error] : failures) {
    server.registry->add_resource(
        {.uri = uri, .name = uri},
        [error = error](const ResourceUri&, Context&) -> ReadAnswer { return error; });
  }
}

void add_cached(TestServer& server) {
  server.registry->add_resource({.uri = "memo:cached", .name = "cached"},
                                [](const ResourceUri&, Context&) -> ReadAnswer {
                                  protocol::ReadResult result;
                                  result.cache = {.ttl = std::chrono::milliseconds(1500), .shared = true};
                                  return result;
                                });
}

void add_note(TestServer& server) {
  const Status added = server.registry->add_template(
      {.uri_template = "note:{author}/{id}", .name = "note"},
      [](const ResourceUri& uri, const TemplateValues& values, Context&) -> ReadAnswer {
        return read_result(uri, protocol::TextBody{std::to_string(values.size())});
      });
  EXPECT_TRUE(added.ok());
  server.registry->add_completion("note:{author}/{id}", [](const protocol::CompletionRequest& request) {
    return Result<protocol::Completion>(protocol::Completion{.values = {request.resolved.at("author")}});
  });
}

// A prompt with a required argument, and its completions: 250 for "many", and 1,000 in all for "total".
void add_greet(TestServer& server) {
  protocol::Prompt prompt;
  prompt.name = "greet";
  prompt.title = "Greet somebody";
  prompt.arguments.push_back({.name = "who", .title = {}, .description = "Whom", .required = true});
  server.registry->add_prompt(
      prompt, [](const protocol::PromptArguments& arguments, Context&) -> Result<protocol::PromptResult> {
        protocol::PromptResult result;
        result.description = "A greeting";
        result.messages.push_back({.role = protocol::Role::kUser,
                                   .content = protocol::text_content("Greet " + arguments.at("who"))});
        result.messages.push_back(
            {.role = protocol::Role::kAssistant,
             .content = content(protocol::AudioContent{.bytes = "RIFF", .mime_type = "audio/wav"})});
        return result;
      });
  server.registry->add_completion("greet", [](const protocol::CompletionRequest& request) {
    protocol::Completion completion;
    for (int i = 0; i < (request.typed == "many" ? 250 : 3); ++i)
      completion.values.push_back(request.typed + std::to_string(i));
    if (request.typed == "total") completion.total = 1000;
    return Result<protocol::Completion>(completion);
  });
}

// NAME0000, NAME0001 and so on.
std::string numbered(std::string name, int number) {
  const std::string digits = std::to_string(number);
  return name.append(4 - digits.size(), '0').append(digits);
}

void add_tools(TestServer& server, int count) {
  for (int i = 0; i < count; ++i) server.add_tool(numbered("tool", i), every_content);
}

void add_numbered_resources(TestServer& server, int count) {
  for (int i = 0; i < count; ++i) {
    server.add_resource(numbered("memo:", i), "text");
    const Status added = server.registry->add_template(
        {.uri_template = numbered("note:", i) + "/{id}", .name = "note"},
        [](const ResourceUri& uri, const TemplateValues&, Context&) -> ReadAnswer {
          return read_result(uri, protocol::TextBody{"text"});
        });
    EXPECT_TRUE(added.ok());
  }
}

}  // namespace

bool add_part(TestServer& server, std::string_view name, int count) {
  static const std::map<std::string_view, std::function<void(TestServer&, int)>> kParts = {
      {"blob", [](TestServer& to, int) { add_blob(to); }},
      {"cached", [](TestServer& to, int) { add_cached(to); }},
      {"describing", [](TestServer& to, int) { add_describing_tools(to); }},
      {"echo", [](TestServer& to, int) { to.add_echo(); }},
      {"every", [](TestServer& to, int) { to.add_tool("every", every_content); }},
      {"failing", [](TestServer& to, int) { add_failing_tools(to); }},
      {"failing_resources", [](TestServer& to, int) { add_failing_resources(to); }},
      {"full", [](TestServer& to, int) { add_full_tool(to); }},
      {"greet", [](TestServer& to, int) { add_greet(to); }},
      {"greeting_abroad", [](TestServer& to, int) { to.add_prompt("gr\xc3\xbc\xc3\x9f", "Hello"); }},
      {"lying", [](TestServer& to, int) { add_lying_tools(to); }},
      {"memo", [](TestServer& to, int) { to.add_resource("memo:a", "Alpha"); }},
      {"note", [](TestServer& to, int) { add_note(to); }},
      {"pick", [](TestServer& to, int) { add_pick(to); }},
      {"prompts",
       [](TestServer& to, int n) {
         for (int i = 0; i < n; ++i) to.add_prompt(numbered("prompt", i), "text");
       }},
      {"resources", add_numbered_resources},
      {"routed", [](TestServer& to, int) { add_routed(to); }},
      {"tools", add_tools},
      {"unsorted",
       [](TestServer& to, int) {
         for (const char* tool : {"b", "a.z", "C", "a_z", "a"}) to.add_tool(tool, every_content);
       }},
  };
  const auto part = kParts.find(name);
  if (part == kParts.end()) return false;
  part->second(server, count);
  return true;
}

}  // namespace sluice::transcripts

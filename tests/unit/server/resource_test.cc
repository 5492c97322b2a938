// Reading resources, getting prompts and completing their arguments.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_client.h"
#include "test_server.h"

namespace sluice::server::testing {
namespace {

using ::testing::HasSubstr;

class ResourceTest : public DialectTest {};

TEST_P(ResourceTest, IsListedAndRead) {
  TestServer server;
  server.add_resource("memo:a", "Alpha");
  TestClient client(*server, GetParam());
  const WireMessage list = client.call("resources/list");
  EXPECT_EQ(list.text({"result", "resources", 0, "uri"}), "memo:a");
  EXPECT_EQ(list.text({"result", "resources", 0, "mimeType"}), "text/plain");
  const WireMessage read = client.call("resources/read", R"({"uri":"memo:a"})");
  EXPECT_EQ(read.text({"result", "contents"}),
            R"([{"uri":"memo:a","mimeType":"text/plain","text":"Alpha"}])");
}

TEST_P(ResourceTest, MayBeBinary) {
  TestServer server;
  protocol::Resource resource;
  resource.uri = "memo:b";
  resource.name = "b";
  resource.size = 3;
  server.registry->add_resource(resource,
                                [](const ResourceUri& uri, Context&) -> Result<protocol::ReadResult> {
                                  protocol::ResourceContents contents;
                                  contents.uri = uri.text();
                                  contents.body = protocol::BlobBody{std::string("\0\xff\0", 3)};
                                  protocol::ReadResult result;
                                  result.contents.push_back(contents);
                                  return result;
                                });
  TestClient client(*server, GetParam());
  EXPECT_EQ(client.call("resources/read", R"({"uri":"memo:b"})").text({"result", "contents", 0, "blob"}),
            "AP8A");
}

TEST_P(ResourceTest, ThatCannotBeReadSaysSoWithCodeAndHint) {
  TestServer server;
  const std::vector<std::pair<std::string, Error>> failures = {
      {"memo:u", unsupported("encoding EBCDIC").with_code("unsupported_encoding").with_hint("Convert it.")},
      {"memo:l", limit_reached("bytes", 7).with_code("oversize_result").with_hint("Ask for less.")}};
  for (const auto& [uri, error] : failures) {
    protocol::Resource resource;
    resource.uri = uri;
    resource.name = uri;
    server.registry->add_resource(
        resource, [error](const ResourceUri&, Context&) -> Result<protocol::ReadResult> { return error; });
  }
  TestClient client(*server, GetParam());
  for (const auto& [uri, error] : failures) {
    const WireMessage reply = client.call("resources/read", json::to_text(json::Object{{"uri", uri}}));
    EXPECT_EQ(reply.code(), -32603) << uri;
    EXPECT_EQ(reply.error(), "Failed to read resource: " + error.message);
    EXPECT_EQ(reply.text({"error", "data", "code"}), error.code);
    EXPECT_EQ(reply.text({"error", "data", "hint"}), error.hint);
  }
}

TEST_P(ResourceTest, OfATemplateIsReadWithItsValues) {
  TestServer server;
  protocol::ResourceTemplate note;
  note.uri_template = "note:{author}/{id}";
  note.name = "note";
  ASSERT_TRUE(server.registry
                  ->add_template(note,
                                 [](const ResourceUri& uri, const TemplateValues& values,
                                    Context&) -> Result<protocol::ReadResult> {
                                   protocol::ResourceContents contents;
                                   contents.uri = uri.text();
                                   contents.body = protocol::TextBody{std::to_string(values.size())};
                                   protocol::ReadResult result;
                                   result.contents.push_back(contents);
                                   return result;
                                 })
                  .ok());
  TestClient client(*server, GetParam());
  EXPECT_EQ(client.call("resources/templates/list").text({"result", "resourceTemplates", 0, "uriTemplate"}),
            "note:{author}/{id}");
  EXPECT_EQ(client.call("resources/read", R"({"uri":"note:ada/7"})").text({"result", "contents", 0, "text"}),
            "2");
}

TEST_P(ResourceTest, ThatDoesNotExistIsAnErrorWithItsUri) {
  TestServer server;
  server.add_resource("memo:a", "Alpha");
  TestClient client(*server, GetParam());
  const WireMessage reply = client.call("resources/read", R"({"uri":"memo:missing"})");
  EXPECT_EQ(reply.code(), GetParam().modern() ? -32602 : -32002);
  EXPECT_THAT(reply.error(), HasSubstr("memo:missing"));
  EXPECT_EQ(reply.text({"error", "data", "uri"}), "memo:missing");
}

TEST_P(ResourceTest, ThatIsNoUriIsInvalid) {
  TestServer server;
  server.add_resource("memo:a", "Alpha");
  TestClient client(*server, GetParam());
  for (const char* odd : {"", "memo", "no scheme", "memo:%zz"}) {
    const std::string params = json::to_text(json::Object{{"uri", odd}});
    EXPECT_EQ(client.call("resources/read", params).code(), -32602) << odd;
  }
}

TEST_P(ResourceTest, WhoseHandlerFailsIsAnError) {
  TestServer server;
  server.registry->add_resource({.uri = "memo:bad", .name = "bad"},
                                [](const ResourceUri&, Context&) -> Result<protocol::ReadResult> {
                                  return unavailable("open database: /data/sales.db");
                                });
  TestClient client(*server, GetParam());
  const WireMessage reply = client.call("resources/read", R"({"uri":"memo:bad"})");
  EXPECT_EQ(reply.code(), -32603);
  EXPECT_EQ(reply.text({"error", "data", "code"}), "unavailable");
}

TEST_P(ResourceTest, HasNoListWhereThereIsNone) {
  TestServer server;
  server.add_echo();
  TestClient client(*server, GetParam());
  EXPECT_EQ(client.call("resources/list").code(), -32601);
}

INSTANTIATE_TEST_SUITE_P(, ResourceTest, ::testing::ValuesIn(every_dialect()), dialect_name);

TEST(Resource, SaysHowLongItMayBeKeptInTheModernEra) {
  TestServer server;
  server.registry->add_resource({.uri = "memo:a", .name = "a"},
                                [](const ResourceUri&, Context&) -> Result<protocol::ReadResult> {
                                  protocol::ReadResult result;
                                  result.cache = {.ttl = std::chrono::milliseconds(1500), .shared = true};
                                  return result;
                                });
  TestClient client(*server, kModernPipe);
  const WireMessage reply = client.call("resources/read", R"({"uri":"memo:a"})");
  EXPECT_EQ(reply.text({"result", "ttlMs"}), "1500");
  EXPECT_EQ(reply.text({"result", "cacheScope"}), "public");
}

class PromptTest : public DialectTest {
 protected:
  PromptTest() {
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
          protocol::Content audio;
          audio.body = protocol::AudioContent{.bytes = "RIFF", .mime_type = "audio/wav"};
          result.messages.push_back({.role = protocol::Role::kAssistant, .content = audio});
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

  std::string complete(std::string_view typed) const {
    return R"({"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"who","value":")" +
           std::string(typed) + R"("}})";
  }

  TestServer server;
};

TEST_P(PromptTest, IsListedAndFilledIn) {
  TestClient client(*server, GetParam());
  EXPECT_EQ(client.call("prompts/list").text({"result", "prompts", 0, "arguments", 0, "required"}), "true");
  const WireMessage reply = client.call("prompts/get", R"({"name":"greet","arguments":{"who":"Ada"}})");
  EXPECT_EQ(reply.text({"result", "messages", 0, "content", "text"}), "Greet Ada");
  EXPECT_EQ(reply.text({"result", "messages", 1, "role"}), "assistant");
}

TEST_P(PromptTest, WithoutARequiredArgumentIsRefused) {
  TestClient client(*server, GetParam());
  const WireMessage reply = client.call("prompts/get", R"({"name":"greet"})");
  EXPECT_EQ(reply.code(), -32602);
  EXPECT_THAT(reply.error(), HasSubstr("who"));
}

TEST_P(PromptTest, TakesStringsOnly) {
  TestClient client(*server, GetParam());
  EXPECT_EQ(client.call("prompts/get", R"({"name":"greet","arguments":{"who":1}})").code(), -32602);
}

TEST_P(PromptTest, ThatIsUnknownIsAnErrorThatNamesTheNearest) {
  TestClient client(*server, GetParam());
  const WireMessage reply = client.call("prompts/get", R"({"name":"great"})");
  EXPECT_EQ(reply.code(), -32602);
  EXPECT_THAT(reply.text({"error", "data", "hint"}), HasSubstr("greet"));
}

TEST_P(PromptTest, CompletesItsArguments) {
  TestClient client(*server, GetParam());
  const WireMessage reply = client.call("completion/complete", complete("a"));
  EXPECT_EQ(reply.text({"result", "completion", "values"}), R"(["a0","a1","a2"])");
  EXPECT_EQ(reply.text({"result", "completion", "hasMore"}), "false");
}

TEST_P(PromptTest, CompletesWithAtMostAHundredValues) {
  TestClient client(*server, GetParam());
  const WireMessage reply = client.call("completion/complete", complete("many"));
  EXPECT_EQ(reply.size({"result", "completion", "values"}), 100);
  EXPECT_EQ(reply.text({"result", "completion", "hasMore"}), "true");
}

TEST_P(PromptTest, SaysThatThereIsMoreThanItSends) {
  TestClient client(*server, GetParam());
  const WireMessage reply = client.call("completion/complete", complete("total"));
  EXPECT_EQ(reply.text({"result", "completion", "total"}), "1000");
  EXPECT_EQ(reply.text({"result", "completion", "hasMore"}), "true");
}

TEST_P(PromptTest, DoesNotCompleteWhatDoesNotExist) {
  TestClient client(*server, GetParam());
  EXPECT_EQ(client
                .call("completion/complete",
                      R"({"ref":{"type":"ref/prompt","name":"nobody"},"argument":{"name":"who","value":""}})")
                .code(),
            -32602);
  EXPECT_EQ(client
                .call("completion/complete",
                      R"({"ref":{"type":"ref/resource","uri":"x:{y}"},"argument":{"name":"y","value":""}})")
                .code(),
            -32602);
}

INSTANTIATE_TEST_SUITE_P(, PromptTest, ::testing::ValuesIn(every_dialect()), dialect_name);

TEST(Completion, OfATemplateSeesTheValuesThatAreFilledIn) {
  TestServer server;
  ASSERT_TRUE(server.registry
                  ->add_template({.uri_template = "note:{author}/{id}", .name = "note"},
                                 [](const ResourceUri&, const TemplateValues&, Context&)
                                     -> Result<protocol::ReadResult> { return protocol::ReadResult{}; })
                  .ok());
  server.registry->add_completion("note:{author}/{id}", [](const protocol::CompletionRequest& request) {
    return Result<protocol::Completion>(protocol::Completion{.values = {request.resolved.at("author")}});
  });
  TestClient client(*server, kModernPipe);
  const WireMessage reply = client.call("completion/complete",
                                        R"({"ref":{"type":"ref/resource","uri":"note:{author}/{id}"},
      "argument":{"name":"id","value":"1"},"context":{"arguments":{"author":"ada"}}})");
  EXPECT_EQ(reply.text({"result", "completion", "values", 0}), "ada");
}

}  // namespace
}  // namespace sluice::server::testing

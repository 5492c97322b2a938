// What servers answer and clients send: the other direction of the wire.
#include "sluice/protocol/wire/decode.h"

#include <gmock/gmock.h>

#include "sluice/json/reader.h"
#include "sluice/protocol/wire/definitions.h"
#include "sluice/protocol/wire/requests.h"

namespace sluice::protocol {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

json::Value value(std::string_view text) { return *json::read(text); }
json::Object object(std::string_view text) { return *value(text).if_object(); }

template <typename T>
std::string encoded(const T& item) {
  json::Writer out;
  encode(item, kNewest, out);
  return std::move(out).take();
}

TEST(Decoding, GivesBackWhatWasEncoded) {
  const std::string tool =
      R"({"name":"t","title":"T","description":"d","inputSchema":{"type":"object","$defs":{"a":{}}},)"
      R"("outputSchema":{"type":"object"},"annotations":{"readOnlyHint":true},)"
      R"("icons":[{"src":"data:,","sizes":["48x48"]}],"_meta":{"k":1}})";
  EXPECT_EQ(encoded(*decode_tool(value(tool))), tool);
  const std::string resource =
      R"({"uri":"a://b","name":"n","mimeType":"text/plain","size":3,"annotations":{"audience":["user"],"priority":0.5}})";
  EXPECT_EQ(encoded(*decode_resource(value(resource))), resource);
  const std::string item = R"({"uriTemplate":"a://{b}","name":"n","description":"d"})";
  EXPECT_EQ(encoded(*decode_template(value(item))), item);
  const std::string prompt = R"({"name":"p","arguments":[{"name":"a","required":true}]})";
  EXPECT_EQ(encoded(*decode_prompt(value(prompt))), prompt);
  for (const std::string content :
       {R"({"type":"text","text":"t"})", R"({"type":"image","data":"AAE=","mimeType":"image/png"})",
        R"({"type":"audio","data":"AAE=","mimeType":"audio/wav"})",
        R"({"type":"resource_link","uri":"a://b","name":"n"})",
        R"({"type":"resource","resource":{"uri":"a://b","blob":"AAE="}})"})
    EXPECT_EQ(encoded(*decode_content(value(content))), content);
}

TEST(Decoding, KeepsContentOfATypeThatIsNotKnown) {
  const Result<Content> content = decode_content(value(R"({"type":"hologram","data":"x"})"));
  ASSERT_TRUE(content.ok());
  EXPECT_THAT(std::get<TextContent>(content->body).text, HasSubstr("hologram"));
}

TEST(Decoding, RefusesWhatIsNotWhatItShouldBe) {
  EXPECT_FALSE(decode_tool(value(R"({"name":"t"})")).ok());
  EXPECT_FALSE(decode_tool(value(R"({"name":"t","inputSchema":true})")).ok());
  EXPECT_FALSE(decode_content(value(R"({"type":"image","data":"not base64!","mimeType":"image/png"})")).ok());
  EXPECT_FALSE(decode_contents(value(R"({"uri":"a://b"})")).ok());
  EXPECT_FALSE(decode_call_result({}).ok());
  EXPECT_FALSE(decode_read_result(object(R"({"contents":{}})")).ok());
  EXPECT_FALSE(decode_prompt_result(object(R"({"messages":[{"role":"user"}]})")).ok());
  EXPECT_FALSE(decode_discover(object(R"({"capabilities":{}})")).ok());
}

TEST(Decoding, TakesCacheHintsAndCursorsAsServersSendThem) {
  EXPECT_EQ(decode_cache_hint(object(R"({"ttlMs":5,"cacheScope":"public"})")).ttl,
            std::chrono::milliseconds{5});
  EXPECT_TRUE(decode_cache_hint(object(R"({"ttlMs":5,"cacheScope":"public"})")).shared);
  EXPECT_EQ(decode_cache_hint(object(R"({"ttlMs":-5})")).ttl, std::chrono::milliseconds{0});
  EXPECT_EQ(decode_cache_hint(object(R"({"ttlMs":"5"})")).ttl, std::chrono::milliseconds{0});
  EXPECT_EQ(decode_cache_hint({}).ttl, kNoTtl);
  EXPECT_EQ(*decode_next_cursor(object(R"({"nextCursor":null})")), std::nullopt);
  EXPECT_EQ(*decode_next_cursor(object(R"({"nextCursor":"c"})")), "c");
  EXPECT_FALSE(decode_next_cursor(object(R"({"nextCursor":1})")).ok());
}

TEST(ClientRequest, SaysWhoIsCallingInTheModernEraOnly) {
  const Implementation info{.name = "n", .version = "1"};
  const ClientCapabilities capabilities{
      .elicit_form = true, .elicit_url = false, .sample = false, .roots = true, .extensions = {}};
  const RequestId id{std::int64_t{7}};
  const json::Object meta = object(
      R"({"traceparent":"00-1","progressToken":"stolen","io.modelcontextprotocol/protocolVersion":"1900-01-01"})");
  const json::Object params{{"name", "t"}};
  const RequestText request{
      .id = id, .method = "tools/call", .params = params, .meta = meta, .wants_progress = true};
  EXPECT_EQ(
      client_request(request, client_style(info, capabilities, std::nullopt, Revision::k2026_07_28)),
      R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"t","_meta":{"traceparent":"00-1","progressToken":7,)"
      R"("io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"n","version":"1"},)"
      R"("io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}},"roots":{}}}}})");
  EXPECT_EQ(
      client_request(request, client_style(info, capabilities, std::nullopt, Revision::k2025_11_25)),
      R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"t","_meta":{"traceparent":"00-1","progressToken":7}}})");
}

TEST(Questions, AreReadAndAnswered) {
  const Result<QuestionBody> form = decode_question(
      "elicitation/create", object(R"({"message":"m","requestedSchema":{"type":"object","properties":{}}})"));
  ASSERT_TRUE(form.ok());
  EXPECT_TRUE(std::holds_alternative<ElicitForm>(*form));
  const Result<QuestionBody> page = decode_question(
      "elicitation/create", object(R"({"mode":"url","message":"m","url":"https://a/","elicitationId":"e"})"));
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(std::get<ElicitUrl>(*page).id, "e");
  EXPECT_FALSE(decode_question("tools/call", {}).ok());
  EXPECT_FALSE(decode_question("elicitation/create", object(R"({"message":"m"})")).ok());
  EXPECT_EQ(answer_result(ElicitAnswer{.action = ElicitAction::kDecline, .content = {{"a", 1}}}),
            R"({"action":"decline"})");
  EXPECT_EQ(answer_result(RootsAnswer{{Root{.uri = "file:///a", .name = {}}}}),
            R"({"roots":[{"uri":"file:///a"}]})");
}

TEST(Questions, GetTheDefaultsThatWereLeftOut) {
  json::Object content{{"a", 1}};
  fill_defaults(value(R"({"properties":{"a":{"default":2},"b":{"default":false},"c":{}}})"), content);
  EXPECT_EQ(json::to_text(content), R"({"a":1,"b":false})");
}

TEST(VersionErrors, NameWhatTheServerSpeaks) {
  EXPECT_THAT(decode_supported_versions(value(R"({"supported":["2026-07-28"]})")), ElementsAre("2026-07-28"));
  EXPECT_TRUE(decode_supported_versions(value("[1]")).empty());
  EXPECT_TRUE(decode_supported_versions(value(R"({"supported":[1]})")).empty());
}

}  // namespace
}  // namespace sluice::protocol

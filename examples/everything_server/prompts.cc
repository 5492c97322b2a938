#include "everything.h"

namespace everything {
namespace {

using PromptResult = Result<protocol::PromptResult>;

protocol::PromptMessage message(protocol::Content content) {
  return {.role = protocol::Role::kUser, .content = std::move(content)};
}

PromptResult with_arguments(const protocol::PromptArguments& arguments, Context&) {
  return protocol::PromptResult{
      .messages = {message(protocol::text_content("Prompt with arguments: arg1='" + arguments.at("arg1") +
                                                  "', arg2='" + arguments.at("arg2") + "'"))}};
}

PromptResult with_resource(const protocol::PromptArguments& arguments, Context&) {
  protocol::Content resource{
      .body = protocol::EmbeddedResource{
          .contents = {.uri = arguments.at("resourceUri"),
                       .mime_type = "text/plain",
                       .body = protocol::TextBody{"Embedded resource content for testing."}}}};
  return protocol::PromptResult{
      .messages = {message(std::move(resource)),
                   message(protocol::text_content("Please process the embedded resource above."))}};
}

PromptResult with_image(const protocol::PromptArguments&, Context&) {
  protocol::Content image{.body = protocol::ImageContent{.bytes = red_pixel_png(), .mime_type = "image/png"}};
  return protocol::PromptResult{
      .messages = {message(std::move(image)),
                   message(protocol::text_content("Please analyze the image above."))}};
}

PromptResult asking(const protocol::PromptArguments&, Context& context) {
  SLUICE_TRY(
      const protocol::ElicitAnswer answer,
      context.ask_form(
          "user_context",
          {.message = "What context should the prompt use?",
           .schema = literal(
               R"({"type":"object","properties":{"context":{"type":"string"}},"required":["context"]})")}));
  const json::Value* given = answer.content.find("context");
  return protocol::PromptResult{
      .messages = {message(protocol::text_content(
          "Context: " + (given != nullptr ? *given->if_string() : std::string("none"))))}};
}

Result<protocol::Completion> complete(const protocol::CompletionRequest& request) {
  protocol::Completion completion;
  for (const std::string word : {"paris", "park", "party", "london"}) {
    if (word.starts_with(request.typed)) completion.values.push_back(word);
  }
  completion.total = completion.values.size();
  return completion;
}

}  // namespace

void add_prompts(Registry& registry) {
  registry.add_prompt(
      {.name = "test_simple_prompt", .description = "A simple prompt without arguments"},
      [](const protocol::PromptArguments&, Context&) -> PromptResult {
        return protocol::PromptResult{
            .description = "A simple prompt",
            .messages = {message(protocol::text_content("This is a simple prompt for testing."))}};
      });
  registry.add_prompt(
      {.name = "test_prompt_with_arguments",
       .description = "A prompt with two arguments",
       .arguments = {{.name = "arg1", .description = "First test argument", .required = true},
                     {.name = "arg2", .description = "Second test argument", .required = true}}},
      with_arguments);
  registry.add_prompt({.name = "test_prompt_with_embedded_resource",
                       .description = "A prompt with an embedded resource",
                       .arguments = {{.name = "resourceUri",
                                      .description = "URI of the resource to embed",
                                      .required = true}}},
                      with_resource);
  registry.add_prompt({.name = "test_prompt_with_image", .description = "A prompt with an image"},
                      with_image);
  registry.add_prompt(
      {.name = "test_input_required_result_prompt", .description = "A prompt that asks first"}, asking);
  registry.add_completion("test_prompt_with_arguments", complete);
}

}  // namespace everything

#include "everything.h"

namespace everything {
namespace {

using ReadResult = Result<protocol::ReadResult>;

constexpr std::chrono::seconds kStaticTtl{60};

protocol::ReadResult contents(const sluice::ResourceUri& uri, std::string mime_type,
                              std::variant<protocol::TextBody, protocol::BlobBody> body) {
  protocol::ReadResult result;
  result.contents.push_back({.uri = uri.text(), .mime_type = std::move(mime_type), .body = std::move(body)});
  result.cache = {.ttl = kStaticTtl, .shared = true};
  return result;
}

ReadResult read_data(const sluice::ResourceUri& uri, const sluice::TemplateValues& values, Context&) {
  const std::string& id = std::get<std::string>(values.at("id"));
  return contents(uri, "application/json",
                  protocol::TextBody{json::to_text(
                      json::Object{{"id", id}, {"templateTest", true}, {"data", "Data for ID: " + id}})});
}

// Asks before it shows anything: resources can ask like tools.
ReadResult read_guarded(const sluice::ResourceUri& uri, Context& context) {
  SLUICE_TRY(
      const protocol::ElicitAnswer answer,
      context.ask_form(
          "show", {.message = "Show the resource?",
                   .schema = literal(
                       R"({"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]})")}));
  if (answer.action != protocol::ElicitAction::kAccept) return sluice::forbidden("the user declined");
  return contents(uri, "text/plain", protocol::TextBody{"Shown with the user's consent."});
}

}  // namespace

void add_resources(Registry& registry) {
  registry.add_resource(
      {.uri = "test://static-text",
       .name = "static-text",
       .title = "A static text",
       .description = "A static text resource for testing",
       .mime_type = "text/plain",
       .size = 48,
       .annotations = protocol::Annotations{.audience = {protocol::Role::kUser, protocol::Role::kAssistant},
                                            .priority = 0.5,
                                            .last_modified = "2026-01-01T00:00:00Z"}},
      [](const sluice::ResourceUri& uri, Context&) -> ReadResult {
        return contents(uri, "text/plain",
                        protocol::TextBody{"This is the content of the static text resource."});
      },
      sluice::catalog::RunsOn::kReceivingThread);
  registry.add_resource({.uri = "test://static-binary",
                         .name = "static-binary",
                         .description = "A static binary resource for testing",
                         .mime_type = "image/png"},
                        [](const sluice::ResourceUri& uri, Context&) -> ReadResult {
                          return contents(uri, "image/png", protocol::BlobBody{red_pixel_png()});
                        });
  registry.add_resource({.uri = "test://watched-resource",
                         .name = "watched-resource",
                         .description = "Changes when test_touch_resource is called",
                         .mime_type = "text/plain"},
                        [](const sluice::ResourceUri& uri, Context&) -> ReadResult {
                          return contents(uri, "text/plain", protocol::TextBody{"Watched resource content"});
                        });
  registry.add_resource({.uri = "test://with-consent",
                         .name = "with-consent",
                         .description = "Asks the user before it is shown",
                         .mime_type = "text/plain"},
                        read_guarded);
  const sluice::Status added = registry.add_template({.uri_template = "test://template/{id}/data",
                                                      .name = "template",
                                                      .description = "A resource template with a parameter",
                                                      .mime_type = "application/json"},
                                                     read_data);
  if (!added) std::abort();  // The template is a literal of this program.
  registry.add_completion("test://template/{id}/data",
                          [](const protocol::CompletionRequest& request) -> Result<protocol::Completion> {
                            protocol::Completion completion;
                            for (const std::string id : {"1", "12", "123", "200"}) {
                              if (id.starts_with(request.typed)) completion.values.push_back(id);
                            }
                            return completion;
                          });
}

}  // namespace everything

#include "sluice/protocol/wire/capabilities.h"

#include "sluice/json/object_reader.h"

#include "wire/shared/fields.h"

namespace sluice::protocol {

void encode(const ServerCapabilities& capabilities, Revision revision, json::Writer& out) {
  out.begin_object();
  if (capabilities.tools) out.key("tools").begin_object().field("listChanged", true).end_object();
  if (capabilities.resources) {
    out.key("resources").begin_object().field("subscribe", true).field("listChanged", true).end_object();
  }
  if (capabilities.prompts) out.key("prompts").begin_object().field("listChanged", true).end_object();
  if (capabilities.completions && has_completions_capability(revision))
    out.key("completions").begin_object().end_object();
  if (capabilities.logging) out.key("logging").begin_object().end_object();
  if (!capabilities.extensions.empty() && has_extensions(revision))
    out.field("extensions", json::Value(capabilities.extensions));
  out.end_object();
}

Result<ClientCapabilities> decode_client_capabilities(const json::Value& value, std::string path) {
  SLUICE_TRY(const json::ObjectReader in, json::ObjectReader::of(value, std::move(path)));
  ClientCapabilities client;
  SLUICE_TRY(const std::optional<json::ObjectReader> elicitation, in.optional_object("elicitation"));
  if (elicitation) {
    client.elicit_url = elicitation->find("url") != nullptr;
    // An empty object means forms: that is all there was when the capability was introduced.
    client.elicit_form = elicitation->find("form") != nullptr || !client.elicit_url;
  }
  SLUICE_TRY(const std::optional<json::ObjectReader> sampling, in.optional_object("sampling"));
  SLUICE_TRY(const std::optional<json::ObjectReader> roots, in.optional_object("roots"));
  SLUICE_TRY(const std::optional<json::ObjectReader> extensions, in.optional_object("extensions"));
  client.sample = sampling.has_value();
  client.roots = roots.has_value();
  if (extensions) client.extensions = extensions->object();
  return client;
}

}  // namespace sluice::protocol

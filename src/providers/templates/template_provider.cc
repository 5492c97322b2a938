#include "sluice/templates/template_provider.h"

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/log.h"
#include "sluice/base/text.h"
#include "sluice/base/uri.h"
#include "sluice/base/uri_template.h"
#include "sluice/catalog/registry.h"
#include "sluice/contents/contents.h"

#include "template_completion.h"
#include "template_watch.h"

namespace sluice::templates {

namespace {

constexpr std::uint64_t kRowsBytesMax = 100 * 1024;
constexpr std::chrono::milliseconds kTtl{60'000};

std::string variable_text(const TemplateValues& values, const std::string& name) {
  const auto found = values.find(name);
  const std::string* text = found == values.end() ? nullptr : std::get_if<std::string>(&found->second);
  return text == nullptr ? "" : *text;
}

protocol::ResourceTemplate definition_of(const TemplateSpec& spec) {
  protocol::ResourceTemplate out;
  out.uri_template = spec.uri;
  out.name = spec.name.empty() ? spec.uri : spec.name;
  if (!spec.description.empty()) out.description = spec.description;
  if (!spec.mime_type.empty())
    out.mime_type = spec.mime_type;
  else if (!spec.sql.empty())
    out.mime_type = "application/json";
  return out;
}

// The statement finds more than the template promises: the operator's affair, and no missing resource.
Error several_rows(const TemplateSpec& spec, std::size_t rows) {
  log::warning("template.failed", {{"template", spec.uri}, {"reason", "single: true, but several rows"}});
  return conflict(fmt::format("Failed to read resource: the query of {} finds {} rows, and `single: true` "
                              "allows one",
                              excerpt(spec.uri), rows))
      .with_code("template_not_single")
      .with_hint("The operator can make the query more exact, or remove `single: true`.");
}

Result<protocol::ReadResult> read_rows(const TemplateSpec& spec, const databases::Databases& databases,
                                       const ResourceUri& uri, const TemplateValues& values,
                                       const catalog::Context& context) {
  databases::Databases::Ask ask{.database = spec.database,
                                .sql = spec.sql,
                                .parameters = {},
                                .rows_max = spec.rows_max,
                                .bytes_max = kRowsBytesMax};
  for (const std::string& name : spec.parameters) ask.parameters.push_back(variable_text(values, name));
  Result<std::vector<std::string>> rows =
      databases.ask(ask, {.deadline = context.deadline(), .stop = context.stop()});
  if (!rows.ok()) {
    // A value that is no number where one is compared with: nothing has that name. What else is wrong is the
    // statement's, which is not the caller's.
    const std::string& code = rows.error().code;
    if (code == "invalid_value" || code == "out_of_range") return protocol::resource_not_found(uri.text());
    if (rows.error().kind == ErrorKind::kLimitReached) {
      return invalid_input("Failed to read resource: " + rows.error().message)
          .with_code("resource_too_large")
          .with_hint(rows.error().hint);
    }
    log::warning("template.failed", {{"template", spec.uri}, {"reason", rows.error().message}});
    return contents::read_failure(rows.error(), std::string(uri.text()));
  }
  if (rows->empty()) return protocol::resource_not_found(uri.text());
  if (spec.is_single && rows->size() > 1) return several_rows(spec, rows->size());
  std::string text;
  for (const std::string& row : *rows) text += (text.empty() ? "" : ",") + row;
  protocol::ResourceContents contents;
  contents.uri = uri.text();
  contents.mime_type = spec.mime_type.empty() ? "application/json" : spec.mime_type;
  contents.body = protocol::TextBody{.text = spec.is_single ? std::move(text) : "[" + text + "]"};
  protocol::ReadResult result;
  result.contents.push_back(std::move(contents));
  result.cache = {.ttl = kTtl, .shared = false};
  return result;
}

Result<protocol::ReadResult> read_from_target(const UriTemplate& target, const Providers& providers,
                                              const ResourceUri& uri, const TemplateValues& values,
                                              catalog::Context& context) {
  const Result<std::string> expanded = target.expand(values);
  const Result<ResourceUri> parsed =
      expanded.ok() ? ResourceUri::parse(*expanded) : Result<ResourceUri>(expanded.error());
  const std::shared_ptr<catalog::ResourceProvider> owner =
      parsed.ok() ? catalog::find_owner(providers, *parsed) : nullptr;
  if (!owner) return protocol::resource_not_found(uri.text());
  Result<protocol::ReadResult> read = owner->read(*parsed, context);
  // Where it leads is the operator's affair.
  if (!read.ok() && read.error().kind == ErrorKind::kNotFound)
    return protocol::resource_not_found(uri.text());
  if (read.ok() && read->contents.size() == 1) read->contents.front().uri = uri.text();
  return read;
}

// A URI without variables is a resource: hosts that show no templates show it all the same.
Status add(catalog::Registry& out, const TemplateSpec& spec, catalog::Registry::TemplateHandler handler) {
  protocol::ResourceTemplate definition = definition_of(spec);
  SLUICE_TRY(const UriTemplate parsed, UriTemplate::parse(spec.uri));
  if (!parsed.variable_names().empty()) return out.add_template(std::move(definition), std::move(handler));
  protocol::Resource resource;
  resource.uri = definition.uri_template;
  resource.name = std::move(definition.name);
  resource.description = std::move(definition.description);
  resource.mime_type = std::move(definition.mime_type);
  out.add_resource(std::move(resource),
                   [handler = std::move(handler)](const ResourceUri& uri, catalog::Context& context) {
                     return handler(uri, {}, context);
                   });
  return {};
}

}  // namespace

Result<std::shared_ptr<catalog::Provider>> make_template_provider(const std::vector<TemplateSpec>& templates,
                                                                  Providers& providers,
                                                                  const databases::Databases* databases,
                                                                  UpdateTap& tap) {
  const auto shared = std::make_shared<const Providers>(providers);  // By all templates.
  const auto watch = std::make_shared<TemplateWatch>();  // By the templates' provider, and by the others.
  auto out = std::make_shared<catalog::Registry>("templates");
  for (const TemplateSpec& spec : templates) {
    SLUICE_CHECK(watch->add(spec));
    if (!spec.sql.empty()) {
      if (databases == nullptr) return internal_error("template without databases: " + excerpt(spec.uri));
      SLUICE_CHECK(add(*out, spec,
                       [spec, databases](const ResourceUri& asked, const TemplateValues& values,
                                         catalog::Context& context) {
                         return read_rows(spec, *databases, asked, values, context);
                       }));
      continue;
    }
    SLUICE_TRY(UriTemplate target, UriTemplate::parse(spec.target));
    out->add_completion(
        spec.uri, [target, shared](const protocol::CompletionRequest& request, catalog::Context& context) {
          return complete_target(target, *shared, request, context);
        });
    SLUICE_CHECK(add(*out, spec,
                     [target = std::move(target), shared](
                         const ResourceUri& asked, const TemplateValues& values, catalog::Context& context) {
                       return read_from_target(target, *shared, asked, values, context);
                     }));
  }
  out->on_watch([watch](const ResourceUri& uri, bool watched) { watch->set_watched(uri, watched); });
  out->on_can_watch([watch](const ResourceUri& uri) { return watch->can_watch(uri); });
  for (std::shared_ptr<catalog::Provider>& provider : providers) {
    if (provider->resources() == nullptr) continue;
    provider = tap.observe(std::move(provider), [watch](const std::string& uri) { watch->on_update(uri); });
  }
  watch->start(out, providers, databases == nullptr || databases->has_one());
  return std::shared_ptr<catalog::Provider>(std::move(out));
}

}  // namespace sluice::templates

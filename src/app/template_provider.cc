#include "template_provider.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/log.h"
#include "sluice/base/text.h"
#include "sluice/base/uri.h"
#include "sluice/base/uri_template.h"
#include "sluice/catalog/registry.h"
#include "sluice/contents/contents.h"

namespace sluice::app {

namespace {

constexpr std::uint64_t kRowsUsual = 100;
constexpr std::uint64_t kRowsMax = 1'000;
constexpr std::uint64_t kBytesMax = 100 * 1024;
constexpr std::chrono::milliseconds kTtl{60'000};

using Providers = std::vector<std::shared_ptr<catalog::Provider>>;

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// A statement whose $name placeholders are numbered.
struct NumberedSql {
  std::string sql;
  std::vector<std::string> names;  // Of $1, $2, …
};

// Only what stands outside of quotes and comments is a placeholder.
class SqlReader {
 public:
  explicit SqlReader(std::string_view text) : text_(text) {}

  NumberedSql read() {
    while (at_ < text_.size()) {
      if (skip("--", "\n") || skip("/*", "*/") || skip("'", "'") || skip("\"", "\"")) continue;
      if (text_[at_] == '$' && at_ + 1 < text_.size() && is_name_character(text_[at_ + 1])) {
        placeholder();
      } else {
        out_.sql += text_[at_++];
      }
    }
    return std::move(out_);
  }

 private:
  bool skip(std::string_view open, std::string_view close) {
    if (!text_.substr(at_).starts_with(open)) return false;
    const std::size_t end = text_.find(close, at_ + open.size());
    const std::size_t size = end == std::string_view::npos ? text_.size() - at_ : end + close.size() - at_;
    out_.sql += text_.substr(at_, size);
    at_ += size;
    return true;
  }

  void placeholder() {
    std::size_t end = at_ + 1;
    while (end < text_.size() && is_name_character(text_[end])) ++end;
    const std::string name(text_.substr(at_ + 1, end - at_ - 1));
    auto place = std::find(out_.names.begin(), out_.names.end(), name);
    if (place == out_.names.end()) place = out_.names.insert(place, name);
    out_.sql += fmt::format("${}", place - out_.names.begin() + 1);
    at_ = end;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  NumberedSql out_;
};

std::string text_of(const TemplateValues& values, const std::string& name) {
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

Result<protocol::ReadResult> read_query(const TemplateSpec& spec, const NumberedSql& query,
                                        const databases::Databases& databases, const ResourceUri& uri,
                                        const TemplateValues& values, const catalog::Context& context) {
  databases::Databases::Ask ask{.database = spec.database,
                                .sql = query.sql,
                                .parameters = {},
                                .rows_max = spec.rows_max,
                                .bytes_max = kBytesMax};
  for (const std::string& name : query.names) ask.parameters.push_back(text_of(values, name));
  Result<std::vector<std::string>> rows =
      databases.ask(ask, {.deadline = context.deadline(), .stop = context.stop()});
  if (!rows.ok()) {
    // A value that is no number where one is compared with: nothing has that name. What else is wrong is the
    // statement's, which is not the caller's.
    const std::string& code = rows.error().code;
    if (code == "invalid_value" || code == "out_of_range") return catalog::resource_not_found(uri.text());
    log::warning("template.failed", {{"template", spec.uri}, {"reason", rows.error().message}});
    return contents::read_failure(rows.error(), std::string(uri.text()));
  }
  if (rows->empty() || (spec.is_single && rows->size() > 1)) return catalog::resource_not_found(uri.text());
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

std::shared_ptr<catalog::Provider> owner_of(const Providers& providers, const ResourceUri& uri) {
  for (const auto& provider : providers) {
    if (provider->owns(uri)) return provider;
  }
  return nullptr;
}

Result<protocol::ReadResult> read_target(const UriTemplate& target, const Providers& providers,
                                         const ResourceUri& uri, const TemplateValues& values,
                                         catalog::Context& context) {
  const Result<std::string> expanded = target.expand(values);
  const Result<ResourceUri> parsed =
      expanded.ok() ? ResourceUri::parse(*expanded) : Result<ResourceUri>(expanded.error());
  const std::shared_ptr<catalog::Provider> owner = parsed.ok() ? owner_of(providers, *parsed) : nullptr;
  if (!owner) return catalog::resource_not_found(uri.text());
  Result<protocol::ReadResult> read = owner->read(*parsed, context);
  // Where it leads is the operator's affair.
  if (!read.ok() && read.error().kind == ErrorKind::kNotFound) return catalog::resource_not_found(uri.text());
  if (read.ok() && read->contents.size() == 1) read->contents.front().uri = uri.text();
  return read;
}

Error misconfigured(const TemplateSpec& spec, std::string_view what) {
  return invalid_input(fmt::format("template {}: {}", excerpt(spec.uri), what))
      .with_code("invalid_configuration");
}

Status check_names(const TemplateSpec& spec, const std::vector<std::string>& known,
                   const std::vector<std::string>& used) {
  for (const std::string& name : used) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      return misconfigured(spec, "its uri has no variable " + excerpt(name));
  }
  return {};
}

}  // namespace

Result<std::vector<TemplateSpec>> read_templates(YamlMap& config) {
  SLUICE_TRY(std::vector<YamlMap> sections, config.maps("templates"));
  std::vector<TemplateSpec> out;
  for (YamlMap& section : sections) {
    TemplateSpec spec;
    SLUICE_TRY(spec.uri, section.required_text("uri"));
    const auto optional = [&](const std::string& key, std::string& value) -> Status {
      SLUICE_TRY(const std::optional<std::string> text, section.text(key));
      value = text.value_or("");
      return {};
    };
    SLUICE_CHECK(optional("name", spec.name));
    SLUICE_CHECK(optional("description", spec.description));
    SLUICE_CHECK(optional("mime_type", spec.mime_type));
    std::string file;
    std::string api;
    SLUICE_CHECK(optional("file", file));
    SLUICE_CHECK(optional("api", api));
    SLUICE_CHECK(optional("resource", spec.target));
    SLUICE_TRY(std::optional<YamlMap> query, section.map("query"));
    const int ways =
        (file.empty() ? 0 : 1) + (api.empty() ? 0 : 1) + (spec.target.empty() ? 0 : 1) + (query ? 1 : 0);
    if (ways != 1) return section.error("uri", "needs exactly one of query, file, api and resource");
    if (!file.empty()) spec.target = "file:///" + file.substr(file.starts_with('/') ? 1 : 0);
    if (!api.empty()) spec.target = "api://" + api;
    if (query) {
      SLUICE_TRY(spec.database, query->required_text("database"));
      SLUICE_TRY(spec.sql, query->required_text("sql"));
      SLUICE_TRY(const std::optional<bool> single, query->flag("single"));
      spec.is_single = single.value_or(false);
      SLUICE_TRY(const std::optional<std::uint64_t> rows, query->count("max_rows"));
      if (rows && (*rows == 0 || *rows > kRowsMax))
        return query->error("max_rows", fmt::format("must be 1 to {}", kRowsMax));
      spec.rows_max = rows.value_or(kRowsUsual);
      SLUICE_CHECK(query->finish());
    }
    SLUICE_CHECK(section.finish());
    out.push_back(std::move(spec));
  }
  return out;
}

Result<std::shared_ptr<catalog::Provider>> make_template_provider(const std::vector<TemplateSpec>& templates,
                                                                  Providers providers,
                                                                  const databases::Databases* databases) {
  const auto shared = std::make_shared<const Providers>(std::move(providers));  // By all templates.
  auto out = std::make_shared<catalog::Registry>("templates");
  for (const TemplateSpec& spec : templates) {
    const Result<UriTemplate> uri = UriTemplate::parse(spec.uri);
    if (!uri.ok()) return misconfigured(spec, uri.error().message);
    if (!spec.sql.empty()) {
      if (databases == nullptr || !databases->has(spec.database))
        return misconfigured(spec, "there is no database " + excerpt(spec.database));
      NumberedSql query = SqlReader(spec.sql).read();
      SLUICE_CHECK(check_names(spec, uri->variable_names(), query.names));
      SLUICE_CHECK(out->add_template(
          definition_of(spec),
          [spec, query = std::move(query), databases](const ResourceUri& asked, const TemplateValues& values,
                                                      catalog::Context& context) {
            return read_query(spec, query, *databases, asked, values, context);
          }));
      continue;
    }
    Result<UriTemplate> target = UriTemplate::parse(spec.target);
    if (!target.ok()) return misconfigured(spec, target.error().message);
    SLUICE_CHECK(check_names(spec, uri->variable_names(), target->variable_names()));
    SLUICE_CHECK(out->add_template(
        definition_of(spec),
        [target = *std::move(target), shared](const ResourceUri& asked, const TemplateValues& values,
                                              catalog::Context& context) {
          return read_target(target, *shared, asked, values, context);
        }));
  }
  return std::shared_ptr<catalog::Provider>(std::move(out));
}

}  // namespace sluice::app

#include "template_config.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/base/uri_template.h"

namespace sluice::config {

namespace {

constexpr std::uint64_t kRowsUsual = 100;
constexpr std::uint64_t kRowsMax = 1'000;

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

// What URIs begin with that have an owner already.
struct Owned {
  std::string_view scheme;
  std::string_view section;
};
constexpr std::array kOwned = {Owned{"file://", "files"},   Owned{"git://", "git"},
                               Owned{"api://", "apis"},     Owned{"db://", "databases"},
                               Owned{"docs://", "docs"},    Owned{"parquet://", "records"},
                               Owned{"ckan://", "portals"}, Owned{"artifact://", "upstreams"}};

bool has_section(const Config& config, std::string_view section) {
  if (section == "files") return !config.files.empty();
  if (section == "git") return !config.git.empty();
  if (section == "apis") return !config.apis.empty();
  if (section == "docs") return !config.docs.empty();
  if (section == "records") return config.records.has_value();
  if (section == "portals") return config.portals.has_value();
  if (section == "upstreams") return !config.gateway.upstreams.empty();
  return !config.databases.empty();
}

Status check_variables(const YamlMap& section, std::string_view key, const std::vector<std::string>& known,
                       const std::vector<std::string>& used) {
  for (const std::string& name : used) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      return section.error(key, "the uri has no variable " + excerpt(name));
  }
  return {};
}

Status read_template_query(YamlMap& section, const Config& config, const std::vector<std::string>& variables,
                           templates::TemplateSpec& spec) {
  SLUICE_TRY(spec.database, section.required_text("database"));
  const bool is_known =
      std::any_of(config.databases.begin(), config.databases.end(),
                  [&](const databases::DatabaseSpec& one) { return one.name == spec.database; });
  if (!is_known) return section.error("database", "there is no database " + excerpt(spec.database));
  SLUICE_TRY(const std::string sql, section.required_text("sql"));
  NumberedSql numbered = SqlReader(sql).read();
  SLUICE_CHECK(check_variables(section, "sql", variables, numbered.names));
  spec.sql = std::move(numbered.sql);
  spec.parameters = std::move(numbered.names);
  SLUICE_TRY(const std::optional<bool> single, section.flag("single"));
  spec.is_single = single.value_or(false);
  SLUICE_TRY(const std::optional<std::uint64_t> rows, section.count("max_rows"));
  if (rows && (*rows == 0 || *rows > kRowsMax))
    return section.error("max_rows", fmt::format("must be 1 to {}", kRowsMax));
  spec.rows_max = rows.value_or(kRowsUsual);
  return section.finish();
}

Status check_target(const YamlMap& section, std::string_view key, const Config& config,
                    const std::vector<std::string>& variables, const std::string& target) {
  const Result<UriTemplate> parsed = UriTemplate::parse(target);
  if (!parsed.ok()) return section.error(key, parsed.error().message);
  if (target.find("://") == std::string::npos || target.find("://") > target.find('{'))
    return section.error(key, "must begin with a scheme, as git:// does");
  for (const Owned& owned : kOwned) {
    if (target.starts_with(owned.scheme) && !has_section(config, owned.section))
      return section.error(
          key, fmt::format("there is no section {} that {} could lead to", owned.section, owned.scheme));
  }
  return check_variables(section, key, variables, parsed->variable_names());
}

// Where it leads, if not to a query: the key that says so, and the URI.
Result<std::optional<std::string>> read_template_target(YamlMap& section, templates::TemplateSpec& spec) {
  SLUICE_TRY(const std::optional<std::string> file, section.text("file"));
  SLUICE_TRY(const std::optional<std::string> api, section.text("api"));
  SLUICE_TRY(const std::optional<std::string> resource, section.text("resource"));
  if ((file ? 1 : 0) + (api ? 1 : 0) + (resource ? 1 : 0) > 1)
    return section.error("uri", "needs exactly one of query, file, api and resource");
  if (file) spec.target = "file:///" + file->substr(file->starts_with('/') ? 1 : 0);
  if (api) spec.target = "api://" + *api;
  if (resource) spec.target = *resource;
  if (spec.target.empty()) return std::optional<std::string>();
  return std::optional<std::string>(file ? "file" : api ? "api" : "resource");
}

Result<templates::TemplateSpec> read_template(YamlMap& section, const Config& config) {
  templates::TemplateSpec spec;
  SLUICE_TRY(spec.uri, section.required_text("uri"));
  const Result<UriTemplate> uri = UriTemplate::parse(spec.uri);
  if (!uri.ok()) return section.error("uri", uri.error().message);
  if (spec.uri.find("://") == std::string::npos || spec.uri.find("://") > spec.uri.find('{'))
    return section.error("uri", "must begin with a scheme of your own, as user://{id} does");
  for (const Owned& owned : kOwned) {
    if (spec.uri.starts_with(owned.scheme))
      return section.error("uri", fmt::format("{} is not a scheme of your own", owned.scheme));
  }
  for (const collections::CollectionSpec& collection : config.collections) {
    if (spec.uri.starts_with(collection.scheme + "://"))
      return section.error(
          "uri", fmt::format("{}:// is the scheme of the collection {}", collection.scheme, collection.name));
  }
  for (const auto& [key, value] : {std::pair{"name", &spec.name}, std::pair{"description", &spec.description},
                                   std::pair{"mime_type", &spec.mime_type}}) {
    SLUICE_TRY(std::optional<std::string> text, section.text(key));
    *value = std::move(text).value_or("");
  }
  SLUICE_TRY(const std::optional<std::string> key, read_template_target(section, spec));
  SLUICE_TRY(std::optional<YamlMap> query, section.map("query"));
  if (key.has_value() == query.has_value())
    return section.error("uri", "needs exactly one of query, file, api and resource");
  if (query) SLUICE_CHECK(read_template_query(*query, config, uri->variable_names(), spec));
  if (key) SLUICE_CHECK(check_target(section, *key, config, uri->variable_names(), spec.target));
  SLUICE_CHECK(section.finish());
  return spec;
}

}  // namespace

Result<std::vector<templates::TemplateSpec>> read_templates(YamlMap& file, const Config& config) {
  SLUICE_TRY(std::vector<YamlMap> sections, file.maps("templates"));
  std::vector<templates::TemplateSpec> out;
  for (YamlMap& section : sections) {
    SLUICE_TRY(templates::TemplateSpec spec, read_template(section, config));
    const bool is_taken = std::any_of(
        out.begin(), out.end(), [&](const templates::TemplateSpec& other) { return other.uri == spec.uri; });
    if (is_taken) return section.error("uri", "another template has this uri");
    out.push_back(std::move(spec));
  }
  return out;
}

}  // namespace sluice::config

#include "sluice/collections/collection_spec.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/query/file_dataset.h"
#include "sluice/text/utf8_converter.h"

#include "path_pattern.h"

namespace sluice::collections {

namespace {

// Schemes that mean something else to whoever reads a URI.
constexpr std::array<std::string_view, 5> kForeignSchemes = {"file", "http", "https", "ws", "wss"};

Error invalid_collection(std::string_view what, std::string_view value) {
  return invalid_input(fmt::format("{}: {}", what, excerpt(value))).with_code("invalid_collection");
}

// RFC 3986, section 3.1, in lower case.
bool is_scheme(std::string_view scheme) {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  return !scheme.empty() && scheme.size() <= 32 && is_letter(scheme.front()) &&
         std::all_of(scheme.begin(), scheme.end(), [&](char c) {
           return is_letter(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
         });
}

// DECIMAL(18,3), BIGINT[], TIMESTAMP WITH TIME ZONE: whether there is such a type, the engine says.
bool is_type(std::string_view type) {
  return !type.empty() && type.size() <= 64 && std::all_of(type.begin(), type.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_ (),[]").find(c) != std::string_view::npos;
  });
}

Status validate_entity(const CollectionSpec& spec, const std::vector<std::string>& dimensions) {
  const query::Entity& entity = spec.entity;
  if (entity.series.empty()) return {};
  if (std::find(dimensions.begin(), dimensions.end(), entity.series) == dimensions.end())
    return invalid_collection("entity.series: the path has no such dimension", entity.series);
  if (dimensions.size() > 2)
    return invalid_collection("entity: a collection with one needs a path of one or two dimensions",
                              spec.pattern);
  if (entity.code.empty() || entity.name.empty())
    return invalid_collection("entity: its code and its name need a column", spec.name);
  const auto is_measure = [&](const query::Role& role) { return role.name == entity.measure; };
  if (std::none_of(spec.roles.begin(), spec.roles.end(), is_measure))
    return invalid_collection("entity.measure: there is no such role", entity.measure);
  return {};
}

}  // namespace

Status validate(const CollectionSpec& spec) {
  if (spec.name.empty() || spec.name.size() > 64 || spec.name.find('/') != std::string::npos ||
      encode_controls(spec.name) != spec.name)
    return invalid_collection("a collection needs a name of up to 64 visible bytes without a slash",
                              spec.name);
  if (!is_scheme(spec.scheme))
    return invalid_collection("a scheme is lower-case letters, digits, + - and ., first a letter",
                              spec.scheme);
  if (std::find(kForeignSchemes.begin(), kForeignSchemes.end(), spec.scheme) != kForeignSchemes.end())
    return invalid_collection("the scheme has a meaning of its own", spec.scheme);
  for (const auto& [column, type] : spec.types) {
    if (!is_type(type))
      return invalid_collection(fmt::format("not a type, for column {}", excerpt(column)), type);
  }
  if (!spec.encoding.empty() && !text::Utf8Converter::open(spec.encoding).ok())
    return invalid_collection("encoding: not a charset that is known", spec.encoding);
  std::vector<std::string> names;
  if (!spec.pattern.empty()) {
    SLUICE_TRY(const PathPattern pattern, PathPattern::parse(spec.pattern));
    names = pattern.names();
  }
  for (const query::Dimension& dimension : spec.dimensions) {
    if (std::find(names.begin(), names.end(), dimension.name) == names.end())
      return invalid_collection("the path has no such dimension", dimension.name);
  }
  SLUICE_CHECK(validate_entity(spec, names));
  if (!spec.file.empty() && !query::kind_of_file(spec.file))
    return invalid_collection("not a file that can be read as a table", spec.file);
  return {};
}

FolderAndPattern split_at_pattern(std::string_view path) {
  const std::size_t brace = path.find('{');
  if (brace == std::string_view::npos) return {.folder = std::string(path), .pattern = ""};
  const std::size_t slash = path.substr(0, brace).rfind('/');
  if (slash == std::string_view::npos) return {.folder = ".", .pattern = std::string(path)};
  return {.folder = std::string(path.substr(0, std::max<std::size_t>(slash, 1))),
          .pattern = std::string(path.substr(slash + 1))};
}

}  // namespace sluice::collections

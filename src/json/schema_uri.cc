#include "schema_uri.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "sluice/base/uri.h"

namespace sluice::json {
namespace {

// The parts of a URI reference with their delimiters, so that "" means absent: "http:", "//host", "/path",
// "?query".
struct UriParts {
  std::string_view scheme;
  std::string_view authority;
  std::string_view path;
  std::string_view query;
};

UriParts split_uri(std::string_view text) {
  UriParts parts;
  if (const std::size_t query = text.find('?'); query != std::string_view::npos) {
    parts.query = text.substr(query);
    text = text.substr(0, query);
  }
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos && colon > 0 && text.find('/') > colon) {
    parts.scheme = text.substr(0, colon + 1);
    text.remove_prefix(colon + 1);
  }
  if (text.starts_with("//")) {
    const std::size_t end = std::min(text.find('/', 2), text.size());
    parts.authority = text.substr(0, end);
    text.remove_prefix(end);
  }
  parts.path = text;
  return parts;
}

// RFC 3986 section 5.2.4. Also of a relative path, which is what a document without a URI of its own has.
std::string remove_dot_segments(std::string_view path) {
  const bool rooted = path.starts_with('/');
  if (rooted) path.remove_prefix(1);
  std::vector<std::string_view> segments;
  for (bool more = true; more;) {
    const std::size_t slash = path.find('/');
    const std::string_view segment = path.substr(0, slash);
    more = slash != std::string_view::npos;
    if (more) path.remove_prefix(slash + 1);
    const bool up = segment == "..";
    if (up && !segments.empty()) segments.pop_back();
    if (!up && segment != ".") {
      segments.push_back(segment);
    } else if (!more) {
      segments.emplace_back();  // "a/." is the folder "a/".
    }
  }
  return fmt::format("{}{}", rooted ? "/" : "", fmt::join(segments, "/"));
}

std::string merge_paths(const UriParts& base, std::string_view path) {
  if (!base.authority.empty() && base.path.empty()) return "/" + std::string(path);
  const std::size_t slash = base.path.rfind('/');
  const std::string_view folder = slash == std::string_view::npos ? "" : base.path.substr(0, slash + 1);
  return std::string(folder) + std::string(path);
}

std::string join(std::string_view scheme, std::string_view authority, std::string_view path,
                 std::string_view query) {
  std::string out(scheme);
  out.append(authority).append(path).append(query);
  return out;
}

std::string resolve_document(std::string_view base_text, std::string_view text) {
  if (text.empty()) return std::string(base_text);
  const UriParts base = split_uri(base_text);
  const UriParts parts = split_uri(text);
  if (!parts.scheme.empty()) {
    const bool rooted = parts.path.starts_with('/');  // Dots mean nothing in "urn:a:..".
    return join(parts.scheme, parts.authority, rooted ? remove_dot_segments(parts.path) : parts.path,
                parts.query);
  }
  if (!parts.authority.empty()) {
    return join(base.scheme, parts.authority, remove_dot_segments(parts.path), parts.query);
  }
  if (parts.path.empty()) return join(base.scheme, base.authority, base.path, parts.query);
  const std::string path =
      parts.path.starts_with('/') ? std::string(parts.path) : merge_paths(base, parts.path);
  return join(base.scheme, base.authority, remove_dot_segments(path), parts.query);
}

}  // namespace

Result<SchemaTarget> resolve_reference(std::string_view base, std::string_view reference) {
  const std::size_t hash = reference.find('#');
  SchemaTarget target;
  target.document = resolve_document(base, reference.substr(0, hash));
  if (hash != std::string_view::npos) {
    SLUICE_TRY(target.fragment, percent_decode(reference.substr(hash + 1)));
  }
  return target;
}

}  // namespace sluice::json

#include "file_uri.h"

#include <charconv>
#include <utility>

#include "sluice/base/limits.h"
#include "sluice/base/text.h"
#include "sluice/base/uri_path.h"

namespace sluice::files {

namespace {

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<Range> parse_query(std::string_view query) {
  Range range;
  while (true) {
    const std::size_t end = query.find('&');
    const std::string_view part = query.substr(0, end);
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    const std::string_view key = part.substr(0, equals);
    if (key != "offset" && key != "length") return std::nullopt;
    std::optional<std::uint64_t>& target = key == "offset" ? range.offset : range.length;
    if (target) return std::nullopt;  // Twice.
    target = parse_number(part.substr(equals + 1));
    if (!target) return std::nullopt;
    if (end == std::string_view::npos) break;
    query.remove_prefix(end + 1);
  }
  if (range.length == 0U) return std::nullopt;
  return range;
}

std::optional<std::string> decode_name(std::string_view encoded) {
  Result<std::string> name = percent_decode(encoded);
  if (!name.ok() || name->empty() || !is_valid_utf8(*name)) return std::nullopt;
  if (name->find('/') != std::string::npos || name->find('\0') != std::string::npos) return std::nullopt;
  return *std::move(name);
}

}  // namespace

std::optional<FileUri> parse_uri(const ResourceUri& uri) {
  std::string_view rest = uri.text();
  if (!rest.starts_with(kBaseUri) || rest.find('#') != std::string_view::npos) return std::nullopt;
  rest.remove_prefix(kBaseUri.size());
  FileUri out;
  if (const std::size_t mark = rest.find('?'); mark != std::string_view::npos) {
    const std::optional<Range> range = parse_query(rest.substr(mark + 1));
    if (!range) return std::nullopt;
    out.range = *range;
    rest = rest.substr(0, mark);
  }
  out.is_folder = rest.empty() || rest.ends_with('/');
  if (rest.empty()) return out;
  if (out.is_folder) rest.remove_suffix(1);
  std::optional<std::string> path = decode_path(rest);
  if (!path) return std::nullopt;
  out.path = *std::move(path);
  return out;
}

std::optional<std::string> decode_path(std::string_view encoded) {
  std::string out;
  while (true) {
    const std::size_t slash = encoded.find('/');
    const std::optional<std::string> name = decode_name(encoded.substr(0, slash));
    if (!name) return std::nullopt;
    if (!out.empty()) out += '/';
    out += *name;
    if (slash == std::string_view::npos) return out;
    encoded.remove_prefix(slash + 1);
  }
}

std::string plain_uri(const ResourceUri& uri) {
  std::string out;
  for (const char& c : uri.text()) {
    if (static_cast<unsigned char>(c) < 0x80) {
      out += c;
    } else {
      out += percent_encode(std::string_view(&c, 1));
    }
  }
  return out;
}

std::string uri_of_file(std::string_view path) { return std::string(kBaseUri) + percent_encode_path(path); }

std::string uri_of_folder(std::string_view path) {
  return path.empty() ? std::string(kBaseUri) : uri_of_file(path) + "/";
}

}  // namespace sluice::files

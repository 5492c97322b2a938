#include "file_uri.h"

#include <array>
#include <utility>

#include "sluice/base/uri_path.h"
#include "sluice/contents/resource_path.h"

namespace sluice::files {

namespace {

constexpr std::array<std::string_view, 3> kParameters = {"offset", "length", "after"};
constexpr std::string_view kList = "list";  // Stands first, without a value.

bool read_query(std::string_view text, FileUri& out) {
  out.is_list = text == kList || text.starts_with("list&");
  if (text == kList) return true;
  if (out.is_list) text.remove_prefix(kList.size() + 1);
  const std::optional<contents::UriQuery> query = contents::UriQuery::parse(text, kParameters);
  const std::optional<contents::Range> range = query ? query->range() : std::nullopt;
  if (!range || (query->has("after") && (range->is_given() || query->text("after").empty()))) return false;
  if (out.is_list && range->is_given()) return false;
  out.range = *range;
  out.after = query->text("after");
  return true;
}

}  // namespace

std::optional<FileUri> parse_uri(const ResourceUri& uri) {
  std::string_view rest = uri.text();
  if (!rest.starts_with(kBaseUri) || rest.find('#') != std::string_view::npos) return std::nullopt;
  rest.remove_prefix(kBaseUri.size());
  FileUri out;
  if (const std::size_t mark = rest.find('?'); mark != std::string_view::npos) {
    if (!read_query(rest.substr(mark + 1), out)) return std::nullopt;
    rest = rest.substr(0, mark);
  }
  out.is_folder = rest.empty() || rest.ends_with('/');
  if (rest.empty()) return out;
  if (out.is_folder) rest.remove_suffix(1);
  std::optional<std::string> path = contents::decode_path(rest);
  if (!path) return std::nullopt;
  out.path = *std::move(path);
  return out;
}

std::string uri_of_file(std::string_view path) { return std::string(kBaseUri) + percent_encode_path(path); }

std::string uri_of_folder(std::string_view path) {
  return path.empty() ? std::string(kBaseUri) : uri_of_file(path) + "/";
}

}  // namespace sluice::files

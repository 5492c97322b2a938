#include "sluice/contents/resource_path.h"

#include <utility>

#include "sluice/base/text.h"

namespace sluice::contents {

namespace {

std::optional<std::string> decode_name(std::string_view encoded) {
  Result<std::string> name = percent_decode(encoded);
  if (!name.ok() || name->empty() || !is_valid_utf8(*name)) return std::nullopt;
  if (name->find('/') != std::string::npos || name->find('\0') != std::string::npos) return std::nullopt;
  return *std::move(name);
}

}  // namespace

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

std::string_view last_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string_view parent_folder(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string beneath(std::string_view folder, std::string_view name) {
  std::string out(folder);
  if (!folder.empty() && !name.empty()) out += '/';
  return out += name;
}

}  // namespace sluice::contents

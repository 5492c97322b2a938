#include "sluice/fetch/url.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include <fmt/format.h>

#include "sluice/base/limits.h"
#include "sluice/base/text.h"
#include "sluice/base/uri.h"

namespace sluice::fetch {

namespace {

constexpr std::size_t kHostBytesMax = 253;
constexpr std::size_t kLabelBytesMax = 63;

Error refused(std::string_view what) { return invalid_input(what).with_code("invalid_url"); }

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// What other programs would read as a number: 2130706433, 0x7f, 017.
bool is_numeric(std::string_view label) {
  if (label.starts_with("0x")) return std::all_of(label.begin() + 2, label.end(), is_hex);
  return std::all_of(label.begin(), label.end(), is_digit);
}

bool is_label(std::string_view label) {
  return !label.empty() && label.size() <= kLabelBytesMax &&
         std::all_of(label.begin(), label.end(),
                     [](char c) { return is_digit(c) || is_letter(c) || c == '-' || c == '_'; });
}

Result<std::string> parse_host(std::string_view text) {
  const std::string host = to_lower_ascii(text);
  if (host.size() > kHostBytesMax) return refused("the host is too long");
  std::string_view rest = host;
  std::string_view last;
  while (true) {
    const std::size_t dot = rest.find('.');
    last = rest.substr(0, dot);
    if (!is_label(last)) return refused("the host is not a plain name");
    if (dot == std::string_view::npos) break;
    rest.remove_prefix(dot + 1);
  }
  if (!is_numeric(last)) return host;
  // A resolver reads this as an IPv4 address, in more ways than one.
  const std::optional<Address> address = Address::parse(host);
  if (!address || !address->is_v4()) return refused("the host is an address in an odd form");
  return address->text();
}

Result<std::string> parse_bracketed(std::string_view text) {
  const std::optional<Address> address = Address::parse(text);
  if (!address || address->is_v4()) return refused("the host is not an IPv6 address");
  return address->text();
}

Result<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), port);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size() || port == 0)
    return refused("the port is not a number from 1 to 65535");
  return port;
}

// As browsers do: what cannot stand in a URL is escaped, so that one byte means one thing to everybody.
std::string escaped(std::string_view text) {
  constexpr std::string_view kNotPlain = "\"<>^`{|}' ";
  std::string out;
  for (const char& c : text) {
    const bool is_plain = static_cast<unsigned char>(c) < 0x80 && kNotPlain.find(c) == std::string_view::npos;
    if (is_plain) {
      out += c;
    } else {
      out += percent_encode(std::string_view(&c, 1));
    }
  }
  return out;
}

std::string dots_of(std::string_view segment) {
  std::string out = to_lower_ascii(segment);
  for (std::size_t at = out.find("%2e"); at != std::string::npos; at = out.find("%2e", at))
    out.replace(at, 3, ".");
  return out;
}

std::string without_dot_segments(std::string_view path) {
  std::vector<std::string_view> kept;
  bool ends_in_folder = false;
  while (!path.empty()) {
    path.remove_prefix(1);  // Its slash.
    const std::string_view segment = path.substr(0, path.find('/'));
    path.remove_prefix(segment.size());
    const std::string dots = dots_of(segment);
    ends_in_folder = dots == "." || dots == "..";
    if (dots == ".." && !kept.empty()) kept.pop_back();
    if (!ends_in_folder) kept.push_back(segment);
  }
  std::string out;
  for (const std::string_view segment : kept) out.append("/").append(segment);
  return ends_in_folder || out.empty() ? out + "/" : out;
}

bool has_scheme(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || !is_letter(text[0])) return false;
  return std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(colon),
                     [](char c) { return is_letter(c) || is_digit(c) || c == '+' || c == '-' || c == '.'; });
}

}  // namespace

Result<Url> Url::parse(std::string_view text) {
  if (text.size() > kUriBytesMax) return refused("the URL is too long");
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == '\x7f' || c == '\\')
      return refused("the URL has a character that none may have");
  }
  Url out;
  const std::string start = to_lower_ascii(text.substr(0, 8));
  out.is_https_ = start.starts_with("https://");
  if (!out.is_https_ && !start.starts_with("http://")) return refused("the URL is neither http nor https");
  text.remove_prefix(out.is_https_ ? 8 : 7);
  const std::size_t end = std::min(text.find_first_of("/?#"), text.size());
  SLUICE_CHECK(out.set_authority(text.substr(0, end)));
  out.set_target(text.substr(end));
  return out;
}

Status Url::set_authority(std::string_view authority) {
  if (authority.find('@') != std::string_view::npos) return refused("the URL has a user name");
  std::string_view host = authority;
  std::optional<std::string_view> port;
  if (authority.starts_with('[')) {
    const std::size_t close = authority.find(']');
    if (close == std::string_view::npos) return refused("the host is not an IPv6 address");
    host = authority.substr(1, close - 1);
    const std::string_view rest = authority.substr(close + 1);
    if (!rest.empty() && !rest.starts_with(':')) return refused("the host is not an IPv6 address");
    if (!rest.empty()) port = rest.substr(1);
    SLUICE_TRY(host_, parse_bracketed(host));
  } else {
    host = authority.substr(0, authority.find(':'));
    if (host.size() < authority.size()) port = authority.substr(host.size() + 1);
    SLUICE_TRY(host_, parse_host(host));
  }
  port_ = is_https_ ? 443 : 80;
  if (port) {
    SLUICE_TRY(port_, parse_port(*port));
  }
  return {};
}

void Url::set_target(std::string_view target) {
  target = target.substr(0, target.find('#'));
  const std::size_t mark = target.find('?');
  const std::string_view path = target.substr(0, mark);
  path_ = path.empty() ? "/" : without_dot_segments(escaped(path));
  query_.reset();
  if (mark != std::string_view::npos) query_ = escaped(target.substr(mark + 1));
}

Result<Url> Url::resolve(std::string_view reference) const {
  if (has_scheme(reference)) return parse(reference);
  if (reference.starts_with("//")) return parse((is_https_ ? "https:" : "http:") + std::string(reference));
  if (reference.starts_with('/')) return parse(origin() + std::string(reference));
  if (reference.starts_with('?')) return parse(origin() + path_ + std::string(reference));
  if (reference.empty() || reference.starts_with('#')) return *this;
  return parse(origin() + path_.substr(0, path_.rfind('/') + 1) + std::string(reference));
}

std::optional<Address> Url::address() const { return Address::parse(host_); }

std::string Url::origin() const {
  const bool is_v6 = host_.find(':') != std::string::npos;
  std::string out =
      fmt::format("{}://{}{}{}", is_https_ ? "https" : "http", is_v6 ? "[" : "", host_, is_v6 ? "]" : "");
  if (port_ != (is_https_ ? 443 : 80)) out += fmt::format(":{}", port_);
  return out;
}

std::string Url::text() const { return origin() + path_ + (query_ ? "?" + *query_ : std::string()); }

}  // namespace sluice::fetch

#include "schema_format.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include <arpa/inet.h>

#include "sluice/base/uri.h"

namespace sluice::json {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_alphanumeric(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Takes exactly `count` digits from the front.
std::optional<int> take_number(std::string_view& text, std::size_t count) {
  if (text.size() < count) return std::nullopt;
  int number = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_digit(text[i])) return std::nullopt;
    number = number * 10 + (text[i] - '0');
  }
  text.remove_prefix(count);
  return number;
}

bool take_char(std::string_view& text, char expected) {
  if (!text.starts_with(expected)) return false;
  text.remove_prefix(1);
  return true;
}

bool take_date(std::string_view& text) {
  const std::optional<int> year = take_number(text, 4);
  if (!year || !take_char(text, '-')) return false;
  const std::optional<int> month = take_number(text, 2);
  if (!month || !take_char(text, '-')) return false;
  const std::optional<int> day = take_number(text, 2);
  if (!day || *month < 1 || *month > 12 || *day < 1) return false;
  constexpr std::array<int, 12> kDays{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (*year % 4 == 0 && *year % 100 != 0) || *year % 400 == 0;
  return *day <= kDays[static_cast<std::size_t>(*month - 1)] + (leap && *month == 2 ? 1 : 0);
}

// "Z" or "+01:30", as minutes east of Greenwich.
std::optional<int> take_offset(std::string_view& text) {
  if (take_char(text, 'Z') || take_char(text, 'z')) return 0;
  const int sign = text.starts_with('-') ? -1 : 1;
  if (!take_char(text, '+') && !take_char(text, '-')) return std::nullopt;
  const std::optional<int> hours = take_number(text, 2);
  if (!hours || *hours > 23 || !take_char(text, ':')) return std::nullopt;
  const std::optional<int> minutes = take_number(text, 2);
  if (!minutes || *minutes > 59) return std::nullopt;
  return sign * (*hours * 60 + *minutes);
}

bool take_time(std::string_view& text) {
  const std::optional<int> hour = take_number(text, 2);
  if (!hour || *hour > 23 || !take_char(text, ':')) return false;
  const std::optional<int> minute = take_number(text, 2);
  if (!minute || *minute > 59 || !take_char(text, ':')) return false;
  const std::optional<int> second = take_number(text, 2);
  if (!second || *second > 60) return false;
  if (take_char(text, '.')) {
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    if (digits == 0) return false;
    text.remove_prefix(digits);
  }
  const std::optional<int> offset = take_offset(text);
  if (!offset) return false;
  if (*second < 60) return true;
  // A leap second ends a day in Greenwich, whatever the clock on the wall shows.
  constexpr int kMinutesPerDay = 24 * 60;
  const int utc = (*hour * 60 + *minute - *offset + 2 * kMinutesPerDay) % kMinutesPerDay;
  return utc == kMinutesPerDay - 1;
}

bool is_date(std::string_view text) { return take_date(text) && text.empty(); }

bool is_date_time(std::string_view text) {
  if (!take_date(text) || (!take_char(text, 'T') && !take_char(text, 't'))) return false;
  return take_time(text) && text.empty();
}

bool is_ipv4(std::string_view text) {
  for (int part = 0; part < 4; ++part) {
    if (part > 0 && !take_char(text, '.')) return false;
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    if (digits < 1 || digits > 3 || (digits > 1 && text.front() == '0'))
      return false;  // "010" is octal to some.
    if (*take_number(text, digits) > 255) return false;
  }
  return text.empty();
}

bool is_uuid(std::string_view text) {
  constexpr std::string_view kShape = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  return std::equal(text.begin(), text.end(), kShape.begin(), kShape.end(),
                    [](char c, char shape) { return shape == 'x' ? is_hex(c) : c == shape; });
}

bool is_host_name(std::string_view text) {
  constexpr std::size_t kHostBytesMax = 253;
  constexpr std::size_t kLabelBytesMax = 63;
  if (text.empty() || text.size() > kHostBytesMax) return false;
  for (;;) {
    const std::size_t dot = std::min(text.find('.'), text.size());
    const std::string_view label = text.substr(0, dot);
    if (label.empty() || label.size() > kLabelBytesMax || label.front() == '-' || label.back() == '-')
      return false;
    if (!std::all_of(label.begin(), label.end(), [](char c) { return is_alphanumeric(c) || c == '-'; }))
      return false;
    if (dot == text.size()) return true;
    text.remove_prefix(dot + 1);
  }
}

bool is_ipv6(std::string_view text) {
  in6_addr address{};
  return inet_pton(AF_INET6, std::string(text).c_str(), &address) == 1;
}

// "host", "host:80", "user@[::1]:80".
bool is_authority(std::string_view text) {
  if (const std::size_t at = text.find('@'); at != std::string_view::npos) {
    if (text.substr(0, at).find_first_of("[]") != std::string_view::npos) return false;
    text.remove_prefix(at + 1);
  }
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos || !is_ipv6(text.substr(1, end - 1))) return false;
    text.remove_prefix(end + 1);
    if (!text.empty() && text.front() != ':') return false;
  }
  const std::size_t colon = text.find(':');
  const std::string_view port = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  return text.find_first_of("[]@") == std::string_view::npos &&
         std::all_of(port.begin(), port.end(), is_digit);
}

// Stricter than ResourceUri, which takes what hosts send: no bytes beyond ASCII, brackets only around an
// address.
bool is_uri(std::string_view text) {
  const bool ascii =
      std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (!ascii || !ResourceUri::parse(text).ok()) return false;
  text.remove_prefix(text.find(':') + 1);
  if (text.starts_with("//")) {
    const std::size_t end = std::min(text.find_first_of("/?#", 2), text.size());
    if (!is_authority(text.substr(2, end - 2))) return false;
    text.remove_prefix(end);
  }
  return text.find_first_of("[]") == std::string_view::npos;
}

// RFC 5321's mailbox: a dot-string or a quoted string, then a host name or an address in brackets.
bool is_email(std::string_view text) {
  const std::size_t at = text.rfind('@');
  if (at == std::string_view::npos || at == 0) return false;
  const std::string_view local = text.substr(0, at);
  const std::string_view domain = text.substr(at + 1);
  const auto printable = [](char c) { return c >= 0x20 && c < 0x7f; };
  if (local.size() >= 2 && local.front() == '"' && local.back() == '"') {
    const std::string_view quoted = local.substr(1, local.size() - 2);
    if (!std::all_of(quoted.begin(), quoted.end(), printable) || quoted.find('"') != std::string_view::npos)
      return false;
  } else {
    constexpr std::string_view kSymbols = "!#$%&'*+-/=?^_`{|}~.";
    const auto allowed = [&](char c) {
      return is_alphanumeric(c) || kSymbols.find(c) != std::string_view::npos;
    };
    if (!std::all_of(local.begin(), local.end(), allowed)) return false;
    if (local.front() == '.' || local.back() == '.' || local.find("..") != std::string_view::npos)
      return false;
  }
  if (domain.starts_with("[IPv6:") && domain.ends_with(']')) {
    return is_ipv6(domain.substr(6, domain.size() - 7));
  }
  if (domain.starts_with('[') && domain.ends_with(']')) return is_ipv4(domain.substr(1, domain.size() - 2));
  return is_host_name(domain);
}

}  // namespace

SchemaFormat format_of(std::string_view name) {
  using enum SchemaFormat;
  constexpr std::array<std::pair<std::string_view, SchemaFormat>, 6> kNames{{
      {"date", kDate},
      {"date-time", kDateTime},
      {"email", kEmail},
      {"uri", kUri},
      {"uuid", kUuid},
      {"ipv4", kIpv4},
  }};
  const auto* const found =
      std::find_if(kNames.begin(), kNames.end(), [&](const auto& entry) { return entry.first == name; });
  return found == kNames.end() ? kNone : found->second;
}

bool has_format(SchemaFormat format, std::string_view text) {
  switch (format) {
    case SchemaFormat::kNone:
      return true;
    case SchemaFormat::kDate:
      return is_date(text);
    case SchemaFormat::kDateTime:
      return is_date_time(text);
    case SchemaFormat::kEmail:
      return is_email(text);
    case SchemaFormat::kUri:
      return is_uri(text);
    case SchemaFormat::kUuid:
      return is_uuid(text);
    case SchemaFormat::kIpv4:
      return is_ipv4(text);
  }
  return true;
}

std::string_view describe(SchemaFormat format) {
  switch (format) {
    case SchemaFormat::kNone:
      return "text";
    case SchemaFormat::kDate:
      return "a date like 2026-01-31";
    case SchemaFormat::kDateTime:
      return "a date and time like 2026-01-31T12:30:00Z";
    case SchemaFormat::kEmail:
      return "an email address";
    case SchemaFormat::kUri:
      return "an absolute URI";
    case SchemaFormat::kUuid:
      return "a UUID like 123e4567-e89b-12d3-a456-426614174000";
    case SchemaFormat::kIpv4:
      return "an IPv4 address like 192.0.2.1";
  }
  return "text";
}

}  // namespace sluice::json

#include "http/http_head.h"

#include <algorithm>

#include "sluice/base/limits.h"
#include "sluice/base/text.h"

namespace sluice::transport {
namespace {

constexpr std::string_view kMcpPrefix = "mcp-";
constexpr std::string_view kParamPrefix = "mcp-param-";

// Takes what stands before `separator` off the front of `rest`, without surrounding white space. Separators
// inside quotes do not count.
std::string_view take_item(std::string_view& rest, char separator) {
  bool quoted = false;
  std::size_t end = 0;
  for (; end < rest.size(); ++end) {
    if (rest[end] == '\\' && quoted) {
      ++end;
    } else if (rest[end] == '"') {
      quoted = !quoted;
    } else if (rest[end] == separator && !quoted) {
      break;
    }
  }
  end = std::min(end, rest.size());
  const std::string_view item = trim_spaces(rest.substr(0, end));
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return item;
}

bool has_prefix(std::string_view text, std::string_view prefix) {
  return equal_ignoring_case(text.substr(0, prefix.size()), prefix);
}

// "q=0", "q=0.0", "q=0.000": the client refuses the type.
bool is_zero_quality(std::string_view parameter) {
  if (!has_prefix(parameter, "q=")) return false;
  const std::string_view value = parameter.substr(2);
  return !value.empty() && value.front() == '0' && value.find_first_not_of("0.") == std::string_view::npos;
}

}  // namespace

void AcceptedTypes::add(std::string_view field_value) {
  seen_ = true;
  while (!field_value.empty()) {
    const std::string_view range = take_item(field_value, ',');
    if (!range.empty()) add_range(range);
  }
}

void AcceptedTypes::add_range(std::string_view range) {
  const std::string_view type = take_item(range, ';');
  bool allowed = true;
  while (!range.empty()) allowed = !is_zero_quality(take_item(range, ';')) && allowed;
  if (type == "*/*") {
    apply(json_, 1, allowed);
    apply(stream_, 1, allowed);
  } else if (equal_ignoring_case(type, "application/*")) {
    apply(json_, 2, allowed);
  } else if (equal_ignoring_case(type, "text/*")) {
    apply(stream_, 2, allowed);
  } else if (equal_ignoring_case(type, "application/json")) {
    apply(json_, 3, allowed);
  } else if (equal_ignoring_case(type, "text/event-stream")) {
    apply(stream_, 3, allowed);
  }
}

void AcceptedTypes::apply(Choice& choice, int specificity, bool allowed) {
  if (specificity < choice.specificity) return;
  choice.allowed = allowed || (specificity == choice.specificity && choice.allowed);
  choice.specificity = specificity;
}

std::string_view path_of(std::string_view target) { return target.substr(0, target.find('?')); }

bool is_json_content_type(std::string_view field_value) {
  if (!equal_ignoring_case(take_item(field_value, ';'), "application/json")) return false;
  while (!field_value.empty()) {
    const std::string_view parameter = take_item(field_value, ';');
    if (!has_prefix(parameter, "charset=")) continue;
    std::string_view charset = parameter.substr(std::string_view("charset=").size());
    if (charset.size() >= 2 && charset.front() == '"' && charset.back() == '"') {
      charset = charset.substr(1, charset.size() - 2);
    }
    if (!equal_ignoring_case(charset, "utf-8") && !equal_ignoring_case(charset, "utf8")) return false;
  }
  return true;
}

void RequestHead::add_field(std::string_view name, std::string_view value) {
  value = trim_spaces(value);
  if (route != nullptr) http.fields.emplace_back(to_lower_ascii(name), value);
  const auto is = [&](std::string_view known) { return equal_ignoring_case(name, known); };
  if (has_prefix(name, kMcpPrefix)) return add_mcp_field(name, value);
  if (is("host")) return set_once(host, value);
  if (is("content-type")) return set_once(content_type, value);
  if (is("content-length")) return set_once(content_length, value);
  if (is("accept")) return accept.add(value);
  if (is("authorization")) return set_once(http.authorization, value);
  if (is("origin")) return set_once(origin, value);
  if (is("transfer-encoding")) return set_once(transfer_encoding, value);
  if (is("last-event-id")) return set_once(http.last_event_id, value);
  if (is("content-encoding")) return set_once(content_encoding, value);
  if (is("expect")) return set_once(expect, value);
  if (is("access-control-request-method")) is_preflight = true;
  if (is("access-control-request-headers")) requested_headers = value;
}

void RequestHead::add_mcp_field(std::string_view name, std::string_view value) {
  const auto is = [&](std::string_view known) { return equal_ignoring_case(name, known); };
  if (is("mcp-protocol-version")) return set_once(http.protocol_version, value);
  if (is("mcp-method")) return set_once(http.mcp_method, value);
  if (is("mcp-name")) return set_once(http.mcp_name, value);
  if (is("mcp-session-id")) return set_once(http.session_id, value);
  if (!has_prefix(name, kParamPrefix)) return;

  std::string parameter = to_lower_ascii(name.substr(kParamPrefix.size()));
  const auto same = [&](const auto& known) { return known.first == parameter; };
  if (std::any_of(http.mcp_params.begin(), http.mcp_params.end(), same)) {
    problem = "A header is repeated";
  } else if (http.mcp_params.size() == kHttpParamHeadersMax) {
    problem = "There are too many Mcp-Param headers";
  } else {
    http.mcp_params.emplace_back(std::move(parameter), value);
  }
}

void RequestHead::set_once(std::optional<std::string>& slot, std::string_view value) {
  if (slot) {
    problem = "A header is repeated";
  } else {
    slot.emplace(value);
  }
}

}  // namespace sluice::transport

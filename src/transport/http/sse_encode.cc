#include "http/sse_encode.h"

#include <string_view>

namespace sluice::transport {
namespace {

constexpr std::string_view kLineBreaks("\r\n");
constexpr std::string_view kNotInIds("\r\n\0", 3);

void append_data(std::string& out, std::string_view message) {
  while (true) {
    const std::size_t end = message.find_first_of(kLineBreaks);
    out.append("data: ").append(message.substr(0, end)).push_back('\n');
    if (end == std::string_view::npos) return;
    const bool pair = message.substr(end, 2) == kLineBreaks;
    message.remove_prefix(end + (pair ? 2 : 1));
  }
}

}  // namespace

void append_sse_event(std::string& out, const protocol::Outbound& event) {
  if (event.message.empty() && event.event_id.empty() && !event.retry) return append_sse_comment(out);
  // A line break would end the field and start another, a NUL makes readers ignore the id.
  if (!event.event_id.empty() && event.event_id.find_first_of(kNotInIds) == std::string::npos) {
    out.append("id: ").append(event.event_id).push_back('\n');
  }
  if (event.retry) out.append("retry: ").append(std::to_string(event.retry->count())).push_back('\n');
  // The priming event goes without a type, as the reference server sends it: clients know it by its empty
  // data.
  if (!event.message.empty()) out.append("event: message\n");
  append_data(out, event.message);
  out.push_back('\n');
}

void append_sse_comment(std::string& out) { out.append(": keep-alive\n\n"); }

}  // namespace sluice::transport

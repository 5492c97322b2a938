#include "call/request_state.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "sluice/base/base64.h"
#include "sluice/base/limits.h"
#include "sluice/crypto/digest.h"
#include "sluice/json/reader.h"
#include "sluice/json/writer.h"

#include "call/call.h"

namespace sluice::server {
namespace {

constexpr std::string_view kPurpose = "request-state";
// By how much clocks are moved that are kept in step.
constexpr std::chrono::milliseconds kClockLeeway{60'000};

// The same text for the same value, whatever the order of its keys: a client may rebuild its arguments for
// the retry.
void append_canonical(const json::Value& value, std::string& out) {
  if (const json::Object* object = value.if_object()) {
    std::vector<const json::Member*> members;
    for (const json::Member& member : *object) members.push_back(&member);
    std::sort(members.begin(), members.end(),
              [](const json::Member* a, const json::Member* b) { return a->key < b->key; });
    out.push_back('{');
    for (const json::Member* member : members) {
      json::append_string(out, member->key);
      append_canonical(member->value, out);
    }
    out.push_back('}');
  } else if (const json::Array* array = value.if_array()) {
    out.push_back('[');
    for (const json::Value& item : *array) append_canonical(item, out);
    out.push_back(']');
  } else {
    out += json::to_text(value);
    out.push_back(',');
  }
}

std::string request_digest(const Call& call) {
  std::string text = call.method;
  for (const std::string_view key : {"name", "uri", "arguments"}) {
    text.push_back('\0');
    if (const json::Value* value = call.params.find(key)) append_canonical(*value, text);
  }
  return base64url_encode(crypto::sha256(text));
}

std::int64_t now_ms(const Clock& clock) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(clock.wall().time_since_epoch()).count();
}

Error bad_state(std::string_view why) {
  return invalid_input(std::string("params.requestState: ") + std::string(why))
      .with_code("invalid_request_state")
      .with_hint("Repeat the request without requestState and inputResponses.");
}

}  // namespace

std::string seal_request_state(const crypto::Signer& signer, const Clock& clock, const Call& call,
                               const json::Object& answers) {
  json::Writer payload;
  payload.begin_object().field("principal", call.principal.id).field("request", request_digest(call));
  payload.field("expires", now_ms(clock) + kRequestStateLifetime.count())
      .field("answers", json::Value(answers))
      .end_object();
  return signer.sign(kPurpose, payload.text());
}

Result<json::Object> open_request_state(const crypto::Signer& signer, const Clock& clock, const Call& call,
                                        std::string_view state) {
  if (state.size() > kRequestStateBytesMax) return bad_state("too long");
  const std::optional<std::string> payload = signer.verify(kPurpose, state);
  if (!payload) return bad_state("not signed by this server");
  SLUICE_TRY(const json::Value decoded, json::read(*payload));
  const json::Value* principal = decoded.find("principal");
  const json::Value* request = decoded.find("request");
  const json::Value* expires = decoded.find("expires");
  const json::Value* answers = decoded.find("answers");
  if (principal == nullptr || request == nullptr || expires == nullptr || answers == nullptr ||
      !answers->is_object()) {
    return internal_error("a request state that we signed has the wrong form");
  }
  if (*principal->if_string() != call.principal.id) return bad_state("made for another caller");
  if (*request->if_string() != request_digest(call)) return bad_state("made for another request");
  const std::int64_t remaining_ms = expires->if_number()->as_int64().value_or(0) - now_ms(clock);
  if (remaining_ms < 0) return bad_state("expired");
  if (remaining_ms > (kRequestStateLifetime + kClockLeeway).count())
    return bad_state("made before the server's clock was set back");
  return *answers->if_object();
}

}  // namespace sluice::server

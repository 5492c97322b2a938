// A message is understood or refused; the id of a request comes back as it was.
#include "sluice/json/reader.h"
#include "sluice/protocol/jsonrpc/message.h"

#include "property.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace protocol = sluice::protocol;
  sluice::Result<sluice::json::Value> value = sluice::json::read(text_of(data, size));
  if (!value) return 0;
  const sluice::json::Value* sent = value->find("id");
  const std::string sent_id = sent == nullptr ? "" : sluice::json::to_text(*sent);
  const auto parsed = protocol::parse_message(*value);
  if (const auto* problem = std::get_if<protocol::EnvelopeProblem>(&parsed)) {
    require(!problem->error.message.empty(), "a refusal says why");
    return 0;
  }
  const auto* request = std::get_if<protocol::Request>(&std::get<protocol::Message>(parsed));
  if (request == nullptr) return 0;
  require(
      sluice::json::equal(*sluice::json::read(protocol::to_json(request->id)), *sluice::json::read(sent_id)),
      "the id is echoed");
  const sluice::Result<sluice::json::Value> reply =
      sluice::json::read(protocol::result_message(request->id, "{}"));
  require(reply.ok() && reply->find("id") != nullptr, "the reply is JSON");
  return 0;
}

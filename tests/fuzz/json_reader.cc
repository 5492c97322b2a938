// What was read and written again means the same, and is written the same way.
#include "sluice/json/reader.h"

#include "property.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace json = sluice::json;
  const sluice::Result<json::Value> value = json::read(text_of(data, size));
  if (!value) {
    require(!value.error().message.empty(), "a refusal says why");
    return 0;
  }
  const std::string text = json::to_text(*value);
  const sluice::Result<json::Value> again = json::read(text, json::ReadLimits{.bytes_max = 64 * 1024 * 1024});
  require(again.ok(), "what was written can be read");
  require(json::equal(*value, *again), "what was written means what was read");
  require(json::to_text(*again) == text, "writing is stable");
  return 0;
}

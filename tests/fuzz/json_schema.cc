// Any schema and any value: validation ends, and every problem says where and what.
#include "sluice/json/reader.h"
#include "sluice/json/schema.h"

#include "property.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace json = sluice::json;
  const auto [schema_text, value_text] = two_texts(text_of(data, size));
  const sluice::Result<json::Value> schema_value = json::read(schema_text);
  if (!schema_value) return 0;
  const sluice::Result<json::Schema> schema = json::Schema::compile(*schema_value);
  if (!schema) {
    require(!schema.error().message.empty(), "a refusal says why");
    return 0;
  }
  const sluice::Result<json::Value> value = json::read(value_text);
  if (!value) return 0;
  for (const json::SchemaProblem& problem : schema->validate(*value, "value")) {
    require(problem.path.starts_with("value") && !problem.message.empty(), "a problem says where and what");
  }
  return 0;
}

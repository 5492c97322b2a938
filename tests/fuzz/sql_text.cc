// Any text before the engine's parser may see it: the scan ends, and what it lets through is small and UTF-8.
#include "sql_text.h"

#include "sluice/base/limits.h"
#include "sluice/base/text.h"

#include "property.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = text_of(data, size);
  const sluice::Status status = sluice::expression::check_sql_text(text);
  if (!status) {
    require(status.error().kind == sluice::ErrorKind::kInvalidInput, "the caller can act on a refusal");
    require(!status.error().code.empty() && !status.error().hint.empty(), "a refusal says what to do");
    return 0;
  }
  require(text.size() <= sluice::kExpressionBytesMax && sluice::is_valid_utf8(text), "it is small and UTF-8");
  require(text.find('\0') == std::string_view::npos, "it has no end inside");
  return 0;
}

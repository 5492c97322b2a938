#include "sluice/protocol/model/content.h"

#include <utility>

namespace sluice::protocol {

Content text_content(std::string text) {
  return Content{.body = TextContent{std::move(text)}, .annotations = std::nullopt, .meta = {}};
}

}  // namespace sluice::protocol

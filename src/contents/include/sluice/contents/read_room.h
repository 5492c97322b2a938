#pragma once

#include <cstddef>
#include <string_view>

#include "sluice/catalog/context.h"

// How much a read may return. `budget().bytes` of the Context bounds the contents of one read: every provider
// ends its page within it and names the URI that continues after what is in the page. resources/read passes
// the server's own limit; the tool read_resource passes what fits into its answer.
namespace sluice::contents {

// No page is smaller, so that every page makes progress.
inline constexpr std::size_t kRoomBytesMin = 256;

// Bytes for the contents of this read, measured as the JSON strings that carry them: see json_string_bytes.
std::size_t read_room(const catalog::Context& context);

// The size of `text` as a JSON string, without its quotes.
std::size_t json_string_bytes(std::string_view text);

// How many bytes of `text` fit into `room` as a JSON string, up to the end of a character.
std::size_t json_string_prefix(std::string_view text, std::size_t room);

}  // namespace sluice::contents

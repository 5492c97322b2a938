#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bench {

// One request of the modern era, sent again and again with another id. The id has a fixed number of digits,
// so that the next one is written over the last without moving anything.
struct Request {
  std::string text;      // What goes out: a line of JSON, or an HTTP head and the JSON.
  std::size_t id_at;     // Where the id stands in it.
  std::string expected;  // What a right answer contains.
};

inline constexpr std::size_t kIdDigits = 9;
inline constexpr std::uint64_t kFirstId = 100'000'000;

// By its short name: "read" (resources/read), "call" (tools/call), "discover" (server/discover), "rows",
// "rows-elsewhere" and "table" (twenty rows by a tool call), or "file" and "file-elsewhere" (4 KB).
std::optional<Request> line_request(std::string_view name);
std::optional<Request> http_request(std::string_view name, std::uint16_t port);

void set_id(Request& request, std::uint64_t id);
// The id of an answer, if it is a number with kIdDigits digits.
std::optional<std::uint64_t> id_of(std::string_view answer);

}  // namespace bench

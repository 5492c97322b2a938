#include "request.h"

#include <array>
#include <charconv>

namespace bench {
namespace {

struct Shape {
  std::string_view name;
  std::string_view method;
  std::string_view target;  // The value of the Mcp-Name header; empty for none.
  std::string_view params;  // In front of `_meta`.
  std::string_view expected;
};

constexpr std::array kShapes{
    Shape{"read", "resources/read", "test://static-text", R"("uri":"test://static-text",)",
          "This is the content of the static text resource."},
    Shape{"call", "tools/call", "test_simple_text", R"("name":"test_simple_text","arguments":{},)",
          "This is a simple text response for testing."},
    Shape{"rows", "tools/call", "query_data", R"("name":"query_data","arguments":{"dataset":"twenty"},)",
          "note number 20"},
    // The same rows from the server that they are compared with.
    Shape{"rows-elsewhere", "tools/call", "twenty_rows", R"("name":"twenty_rows","arguments":{},)",
          "note number 20"},
    // The same rows from a table of a database.
    Shape{"table", "tools/call", "query_data", R"("name":"query_data","arguments":{"table":"twenty"},)",
          "note number 20"},
    // A file of 4 KB, and the same file from the server that it is compared with.
    Shape{"file", "resources/read", "file:///note.txt", R"("uri":"file:///note.txt",)",
          "the end of the note"},
    Shape{"file-elsewhere", "tools/call", "read_text_file",
          R"("name":"read_text_file","arguments":{"path":"note.txt"},)", "the end of the note"},
    // The first two through a gateway.
    Shape{"read-behind", "resources/read", "up+demo://resource/static/document/instructions.md",
          R"("uri":"up+demo://resource/static/document/instructions.md",)", "Everything Server"},
    Shape{"call-behind", "tools/call", "up.test_simple_text",
          R"("name":"up.test_simple_text","arguments":{},)", "This is a simple text response for testing."},
    // A dataset of a portal, whose answer is kept.
    Shape{"portal", "resources/read", "ckan://portal/dataset/kept", R"("uri":"ckan://portal/dataset/kept",)",
          "the end of the dataset"},
    Shape{"discover", "server/discover", "", "", "\"supportedVersions\""},
};

constexpr std::string_view kMeta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1.0.0"},)"
    R"("io.modelcontextprotocol/clientCapabilities":{}})";
constexpr std::string_view kIdKey = R"("id":)";

const Shape* find_shape(std::string_view name) {
  for (const Shape& shape : kShapes) {
    if (shape.name == name) return &shape;
  }
  return nullptr;
}

std::string body_of(const Shape& shape) {
  std::string body = R"({"jsonrpc":"2.0","id":)" + std::to_string(kFirstId) + R"(,"method":")";
  body.append(shape.method).append(R"(","params":{)").append(shape.params).append(kMeta).append("}}");
  return body;
}

}  // namespace

std::optional<Request> line_request(std::string_view name) {
  const Shape* shape = find_shape(name);
  if (shape == nullptr) return std::nullopt;
  Request request{.text = body_of(*shape) + "\n", .id_at = 0, .expected = std::string(shape->expected)};
  request.id_at = request.text.find(kIdKey) + kIdKey.size();
  return request;
}

std::optional<Request> http_request(std::string_view name, std::uint16_t port) {
  const Shape* shape = find_shape(name);
  if (shape == nullptr) return std::nullopt;
  const std::string body = body_of(*shape);
  Request request{.text = "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) + "\r\n",
                  .id_at = 0,
                  .expected = std::string(shape->expected)};
  request.text.append("Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n");
  request.text.append("MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: ")
      .append(shape->method)
      .append("\r\n");
  if (!shape->target.empty()) request.text.append("Mcp-Name: ").append(shape->target).append("\r\n");
  request.text.append("Content-Length: ").append(std::to_string(body.size())).append("\r\n\r\n").append(body);
  request.id_at = request.text.find(kIdKey) + kIdKey.size();
  return request;
}

void set_id(Request& request, std::uint64_t id) {
  char* at = request.text.data() + request.id_at;
  std::to_chars(at, at + kIdDigits, id);
}

std::optional<std::uint64_t> id_of(std::string_view answer) {
  const std::size_t key = answer.rfind(kIdKey);
  if (key == std::string_view::npos || answer.size() < key + kIdKey.size() + kIdDigits) return std::nullopt;
  std::uint64_t id = 0;
  const char* at = answer.data() + key + kIdKey.size();
  const auto end = std::from_chars(at, at + kIdDigits, id);
  if (end.ec != std::errc{} || end.ptr != at + kIdDigits) return std::nullopt;
  return id;
}

}  // namespace bench

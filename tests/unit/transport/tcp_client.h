#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::transport {

// How long a test waits for something that must happen; long enough for a loaded machine under a sanitizer.
inline constexpr std::chrono::seconds kPatience{20};

// A response as a client sees it.
struct HttpReply {
  int status = 0;
  std::map<std::string, std::string> headers;  // Names in lower case.
  std::string body;                            // Chunks joined.

  std::string header(const std::string& name) const;
};

// A socket that says exactly what a test tells it to. Every wait is bounded by kPatience; what does not come
// in that time is reported as a failure of the test.
class TcpClient {
 public:
  static TcpClient connect(std::uint16_t port, const std::string& address = "127.0.0.1");
  // With a receive buffer so small that the server soon cannot write.
  static TcpClient connect_with_small_buffer(std::uint16_t port);
  TcpClient(TcpClient&& other) noexcept;
  TcpClient& operator=(TcpClient&&) = delete;
  ~TcpClient();

  // False: the server has closed the connection.
  bool send(std::string_view bytes);
  HttpReply read_reply();
  // The head alone, for responses whose body is a stream.
  HttpReply read_head();
  // What arrives up to and including `end`.
  std::string read_until(std::string_view end);
  // All up to the end of the connection, which must come.
  std::string read_all();
  // Nothing arrives in a short while, and the connection is open.
  bool is_quiet(std::chrono::milliseconds wait);
  bool has_input(std::chrono::milliseconds wait);
  void shutdown_sending();
  void close();
  int descriptor() const { return descriptor_; }

 private:
  explicit TcpClient(int descriptor) : descriptor_(descriptor) {}
  static TcpClient open(std::uint16_t port, const std::string& address, int receive_buffer);
  bool receive();  // False at the end of the connection.
  std::string take(std::size_t bytes);
  std::string read_chunks();

  int descriptor_;
  std::string received_;
};

// A POST with the headers of a well-behaved client.
std::string post(std::string_view body, std::string_view more_headers = "");
std::string get(std::string_view path, std::string_view more_headers = "");

}  // namespace sluice::transport

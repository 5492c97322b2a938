#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/system/error_code.hpp>

namespace sluice::transport {

// Receives what a read brings.
class ReadSink {
 public:
  virtual ~ReadSink() = default;
  virtual void on_read(boost::system::error_code error, std::size_t bytes) = 0;
};

// A TCP connection, plain or in TLS. One read and one write may be under way at a time; all calls on one
// thread.
class ByteStream {
 public:
  virtual ~ByteStream() = default;

  virtual boost::asio::awaitable<boost::system::error_code> handshake() = 0;
  // `sink` is shared by the operation and the owner of the buffer, so that neither can go before the other.
  virtual void start_read(boost::asio::mutable_buffer into, std::shared_ptr<ReadSink> sink) = 0;
  virtual boost::asio::awaitable<boost::system::error_code> write(std::string_view bytes) = 0;
  // Says that no more will be written, without waiting for the peer to say so too. What is read afterwards
  // can only be dropped: in TLS it is not decrypted any more.
  virtual boost::asio::awaitable<void> shutdown() = 0;
  // Ends whatever is under way with an error. May be called again.
  virtual void close() = 0;
  // The same, so that the peer sees an error instead of an end.
  virtual void reset() = 0;
};

std::unique_ptr<ByteStream> make_plain_stream(boost::asio::ip::tcp::socket socket);
std::unique_ptr<ByteStream> make_tls_stream(boost::asio::ip::tcp::socket socket,
                                            boost::asio::ssl::context& context);

}  // namespace sluice::transport

#include "http/byte_stream.h"

#include <utility>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <openssl/ssl.h>

namespace sluice::transport {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

template <typename Stream>
void read_from(Stream& stream, asio::mutable_buffer into, std::shared_ptr<ReadSink> sink) {
  stream.async_read_some(
      into, [sink = std::move(sink)](error_code error, std::size_t bytes) { sink->on_read(error, bytes); });
}

template <typename Stream>
class StreamBase : public ByteStream {
 public:
  template <typename... Args>
  explicit StreamBase(Args&&... args) : stream_(std::forward<Args>(args)...) {}

  void start_read(asio::mutable_buffer into, std::shared_ptr<ReadSink> sink) override {
    read_from(stream_, into, std::move(sink));
  }

  asio::awaitable<error_code> write(std::string_view bytes) override {
    error_code error;
    co_await asio::async_write(stream_, asio::buffer(bytes.data(), bytes.size()),
                               asio::redirect_error(asio::use_awaitable, error));
    co_return error;
  }

  void close() override {
    error_code ignored;
    stream_.lowest_layer().close(ignored);
  }

  void reset() override {
    error_code ignored;
    stream_.lowest_layer().set_option(asio::socket_base::linger(true, 0), ignored);
    close();
  }

 protected:
  Stream stream_;
};

class PlainStream final : public StreamBase<tcp::socket> {
 public:
  using StreamBase::StreamBase;

  asio::awaitable<error_code> handshake() override { co_return error_code(); }

  asio::awaitable<void> shutdown() override {
    error_code ignored;
    stream_.shutdown(tcp::socket::shutdown_send, ignored);
    co_return;
  }
};

class TlsStream final : public StreamBase<asio::ssl::stream<tcp::socket>> {
 public:
  using StreamBase::StreamBase;

  asio::awaitable<error_code> handshake() override {
    error_code error;
    co_await stream_.async_handshake(asio::ssl::stream_base::server,
                                     asio::redirect_error(asio::use_awaitable, error));
    co_return error;
  }

  void start_read(asio::mutable_buffer into, std::shared_ptr<ReadSink> sink) override {
    if (!shut_down_) return StreamBase::start_read(into, std::move(sink));
    read_from(stream_.next_layer(), into, std::move(sink));
  }

  asio::awaitable<void> shutdown() override {
    error_code ignored;
    SSL* session = stream_.native_handle();
    shut_down_ = true;
    // As if the peer's goodbye had come, else the library waits for it, and an idle client does not answer.
    SSL_set_shutdown(session, SSL_get_shutdown(session) | SSL_RECEIVED_SHUTDOWN);
    co_await stream_.async_shutdown(asio::redirect_error(asio::use_awaitable, ignored));
    stream_.next_layer().shutdown(tcp::socket::shutdown_send, ignored);
  }

 private:
  bool shut_down_ = false;
};

}  // namespace

std::unique_ptr<ByteStream> make_plain_stream(tcp::socket socket) {
  return std::make_unique<PlainStream>(std::move(socket));
}

std::unique_ptr<ByteStream> make_tls_stream(tcp::socket socket, asio::ssl::context& context) {
  return std::make_unique<TlsStream>(std::move(socket), context);
}

}  // namespace sluice::transport

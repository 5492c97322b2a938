#include "http/request_parser.h"

#include <algorithm>
#include <limits>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/optional/optional.hpp>

#include "sluice/base/limits.h"

namespace sluice::transport {
namespace {

namespace http = boost::beast::http;

std::string_view view(boost::beast::string_view text) { return {text.data(), text.size()}; }

// A declared length reserves no more than this: memory is for bytes that have arrived.
constexpr std::size_t kReserveBytesMax = kHttpReadBufferBytesMax;
// A path that ends in '/' is that of a folder.
const HttpRoute* find_route(std::span<const HttpRoute> routes, std::string_view path) {
  const auto found = std::find_if(routes.begin(), routes.end(), [&](const HttpRoute& route) {
    return route.path.ends_with('/') ? path.starts_with(route.path) : path == route.path;
  });
  return found == routes.end() ? nullptr : &*found;
}

// Small requests always find room: with all connections open these are 64 MiB.
constexpr std::size_t kUncountedBodyBytes = 16 * 1024;

}  // namespace

RequestParser::RequestParser(std::size_t body_bytes_max, std::span<const HttpRoute> routes)
    : routes_(routes), body_bytes_max_(body_bytes_max) {
  header_limit(kHttpHeaderBytesMax);
  // The library's limit would answer before Host and caller are checked, and does not see what is held
  // already.
  body_limit(boost::none);
}

std::size_t RequestParser::put_head(std::string_view bytes) {
  const std::size_t taken = put_bytes(bytes);
  // The library's own limit applies to what it has not taken yet: many short lines would pass it.
  head_bytes_ += taken;
  const std::size_t waiting = head_done() ? 0 : bytes.size() - taken;
  if (!failed() && head_bytes_ + waiting > kHttpHeaderBytesMax)
    fail(431, "The head of the request is too large");
  return taken;
}

std::size_t RequestParser::put_body(std::string_view bytes) {
  eager(true);
  const std::size_t taken = put_bytes(bytes);
  // A whole buffer without the end of a chunk's extensions, or of the trailer.
  if (!failed() && taken == 0 && bytes.size() >= kHttpReadBufferBytesMax)
    fail(400, "The chunked body is not sound");
  return taken;
}

std::size_t RequestParser::put_bytes(std::string_view bytes) {
  error_code error;
  const std::size_t taken = put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
  if (!error || error == http::error::need_more) return taken;
  if (is_refused_) {
    fail(503, "Too many bytes of requests are under way; try again");
    return taken;
  }
  if (error == http::error::header_limit) {
    fail(431, "The head of the request is too large");
  } else if (error == http::error::body_limit) {
    fail(413, "The body of the request is too large");
  } else {
    fail(400, "The request is not valid HTTP");
  }
  return taken;
}

bool RequestParser::declares_too_much() const {
  const boost::optional<std::uint64_t> length = content_length();
  return length && *length > body_bytes_max_;
}

void RequestParser::fail(int status, std::string_view reason) {
  status_ = status;
  reason_ = reason;
}

void RequestParser::on_request_impl(verb, text method_text, text target, int version, error_code&) {
  head_.http.method = view(method_text);
  head_.http.target = view(target);
  head_.route = find_route(routes_, path_of(head_.http.target));
  head_.is_http_1_0 = version < 11;
}

void RequestParser::on_field_impl(field, text name_text, text value, error_code&) {
  // Fields after a chunked body come too late to decide anything: the head has been checked.
  if (!in_trailer_) head_.add_field(view(name_text), view(value));
}

void RequestParser::on_header_impl(error_code&) {
  in_trailer_ = true;
  head_.keep_alive = keep_alive() && !head_.is_http_1_0;
  head_.http.accepts_stream = head_.accept.stream();
}

void RequestParser::on_body_init_impl(const boost::optional<std::uint64_t>& length, error_code&) {
  if (length) body_.reserve(static_cast<std::size_t>(std::min<std::uint64_t>(*length, kReserveBytesMax)));
}

std::size_t RequestParser::on_body_impl(text bytes, error_code& error) {
  if (bytes.size() > body_bytes_max_ - body_.size()) {
    error = http::error::body_limit;
    return 0;
  }
  if (!has_room(bytes.size())) {
    is_refused_ = true;
    error = http::error::body_limit;
    return 0;
  }
  body_.append(bytes.data(), bytes.size());
  return bytes.size();
}

// The budget counts bytes that have arrived; the string that holds them may have reserved twice as many.
bool RequestParser::has_room(std::size_t bytes) {
  const std::size_t size = body_.size() + bytes;
  if (!is_charged_ || size <= kUncountedBodyBytes) return true;
  return share_.grow(size - kUncountedBodyBytes - share_.held());
}

void RequestParser::on_chunk_header_impl(std::uint64_t size, text, error_code& error) {
  if (size > body_bytes_max_ - body_.size()) error = http::error::body_limit;
}

std::size_t RequestParser::on_chunk_body_impl(std::uint64_t, text bytes, error_code& error) {
  return on_body_impl(bytes, error);
}

}  // namespace sluice::transport

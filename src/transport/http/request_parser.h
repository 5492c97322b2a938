#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <boost/beast/http/basic_parser.hpp>

#include "sluice/base/fair_quota.h"
#include "sluice/transport/http_route.h"

#include "http/http_head.h"

namespace sluice::transport {

// Reads one request from pieces of any size. The head and the body are read in turn, so that the body of a
// request that is refused is never held. One object, one request, one thread.
class RequestParser final : private boost::beast::http::basic_parser<true> {
 public:
  // `routes` outlive it.
  explicit RequestParser(std::size_t body_bytes_max, std::span<const HttpRoute> routes = {});

  // Both return how many bytes were taken; what was not must be offered again, with more behind it.
  std::size_t put_head(std::string_view bytes);
  std::size_t put_body(std::string_view bytes);

  bool head_done() const { return is_header_done(); }
  bool done() const { return is_done(); }
  bool failed() const { return status_ != 0; }
  int status() const { return status_; }  // 400, 413, 431 or 503 after a failure.
  std::string_view reason() const { return reason_; }

  // Complete once head_done().
  RequestHead& head() { return head_; }
  // The declared length is larger than a body may be.
  bool declares_too_much() const;
  // What the body takes of a budget that all requests share; before put_body. Without it, nothing is counted.
  void charge(QuotaShare share) {
    share_ = std::move(share);
    is_charged_ = true;
  }
  void discharge() { share_.release(); }  // The body is not held any more.
  // Complete once done().
  std::string& body() { return body_; }

 private:
  using error_code = boost::beast::error_code;
  using verb = boost::beast::http::verb;
  using field = boost::beast::http::field;
  using text = boost::beast::string_view;

  void on_request_impl(verb method, text method_text, text target, int version, error_code& error) override;
  void on_response_impl(int, text, int, error_code&) override {}
  void on_field_impl(field name, text name_text, text value, error_code& error) override;
  void on_header_impl(error_code& error) override;
  void on_body_init_impl(const boost::optional<std::uint64_t>& length, error_code& error) override;
  std::size_t on_body_impl(text bytes, error_code& error) override;
  void on_chunk_header_impl(std::uint64_t size, text extensions, error_code& error) override;
  std::size_t on_chunk_body_impl(std::uint64_t left, text bytes, error_code& error) override;
  void on_finish_impl(error_code&) override {}

  std::size_t put_bytes(std::string_view bytes);
  bool has_room(std::size_t bytes);
  void fail(int status, std::string_view reason);

  const std::span<const HttpRoute> routes_;
  RequestHead head_;
  std::string body_;
  std::size_t body_bytes_max_;
  std::size_t head_bytes_ = 0;
  QuotaShare share_;
  bool is_charged_ = false;
  bool is_refused_ = false;  // The shared budget has no room.
  bool in_trailer_ = false;
  int status_ = 0;
  std::string_view reason_;  // A literal.
};

}  // namespace sluice::transport

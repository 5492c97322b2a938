#include "curl_error.h"

#include <fmt/format.h>

namespace sluice::fetch {

namespace {

std::string about(const Url& url, std::string_view what) {
  return fmt::format("fetch {}: {}", url.origin(), what);
}

}  // namespace

Error timed_out(const Url& url, std::string_view what) {
  return make_error(ErrorKind::kDeadline, about(url, what)).with_code("fetch_timed_out");
}

Error error_of(CURLcode code, const Url& url) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
      return unavailable(about(url, "the host's name leads nowhere")).with_code("host_not_found");
    case CURLE_COULDNT_CONNECT:
    case CURLE_PROXY:
    case CURLE_INTERFACE_FAILED:
      return unavailable(about(url, "no connection can be made")).with_code("connect_failed");
    case CURLE_OPERATION_TIMEDOUT:
      return timed_out(url, "time ran out");
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_INVALIDCERTSTATUS:
    case CURLE_SSL_ISSUER_ERROR:
      return internal_error(about(url, "the certificate is not one to trust")).with_code("tls_failed");
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_USE_SSL_FAILED:
    case CURLE_SSL_ENGINE_NOTFOUND:
    case CURLE_SSL_ENGINE_SETFAILED:
      return internal_error(about(url, "no secure connection can be made")).with_code("tls_failed");
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CRL_BADFILE:
      return internal_error(about(url, "the file of certificates cannot be read")).with_code("tls_failed");
    case CURLE_PARTIAL_FILE:
    case CURLE_GOT_NOTHING:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
      return unavailable(about(url, "the connection ended within the answer")).with_code("answer_broken");
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_BAD_CONTENT_ENCODING:
    case CURLE_HTTP_RETURNED_ERROR:
    case CURLE_OUT_OF_MEMORY:  // What the library says of a header line that is too long.
      return unavailable(about(url, "the answer is not what HTTP allows")).with_code("answer_broken");
    default:
      return unavailable(about(url, fmt::format("the transfer failed ({})", static_cast<int>(code))))
          .with_code("answer_broken");
  }
}

}  // namespace sluice::fetch

#include "curl_callbacks.h"

#include <sys/socket.h>

#include <cstring>
#include <exception>
#include <string_view>

#include <netinet/in.h>

#include "sluice/base/log.h"

#include "transfer.h"

namespace sluice::fetch {

namespace {

Transfer& of(void* transfer) { return *static_cast<Transfer*>(transfer); }

// An exception is a bug or no memory; the library is C and must not see it.
template <typename Call>
bool guarded(Call call) noexcept {
  try {
    return call();
  } catch (const std::exception& failure) {
    log::error("fetch_failed", {{"reason", failure.what()}});
    return false;
  }
}

std::optional<Address> address_of(const curl_sockaddr& given) {
  if (given.family == AF_INET && given.addrlen >= sizeof(sockaddr_in)) {
    sockaddr_in in{};
    std::memcpy(&in, &given.addr, sizeof(in));
    Address::V4 bytes{};
    std::memcpy(bytes.data(), &in.sin_addr, bytes.size());
    return Address::of(bytes);
  }
  if (given.family == AF_INET6 && given.addrlen >= sizeof(sockaddr_in6)) {
    sockaddr_in6 in{};
    // The library's own field is of the size of the largest address, whatever its type says.
    std::memcpy(&in, static_cast<const void*>(&given.addr), sizeof(in));
    Address::V6 bytes{};
    std::memcpy(bytes.data(), &in.sin6_addr, bytes.size());
    return Address::of(bytes);
  }
  return std::nullopt;
}

}  // namespace

std::size_t on_header(char* bytes, std::size_t size, std::size_t count, void* transfer) {
  const std::size_t length = size * count;
  return guarded([&] { return of(transfer).take_header({bytes, length}); }) ? length : 0;
}

std::size_t on_body(char* bytes, std::size_t size, std::size_t count, void* transfer) {
  const std::size_t length = size * count;
  // A number that is not the length of the piece ends the transfer, also where the piece is empty.
  return guarded([&] { return of(transfer).take_body({bytes, length}); }) ? length : length + 1;
}

int on_progress(void* transfer, curl_off_t /*down_total*/, curl_off_t down, curl_off_t /*up_total*/,
                curl_off_t /*up*/) {
  return guarded([&] { return of(transfer).take_count(static_cast<std::uint64_t>(down)); }) ? 0 : 1;
}

// The library connects to what it shows here and to nothing else, so an answer of the resolver that changes
// afterwards changes nothing.
curl_socket_t on_open_socket(void* transfer, curlsocktype /*purpose*/, curl_sockaddr* address) {
  const bool may = guarded([&] {
    const std::optional<Address> parsed = address_of(*address);
    return parsed && of(transfer).may_open(*parsed);
  });
  if (!may) return CURL_SOCKET_BAD;
  // NOLINTNEXTLINE(android-cloexec-socket): it is set in the type.
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

int on_before_request(void* transfer, char* remote, char* /*local*/, int /*remote_port*/,
                      int /*local_port*/) {
  return guarded([&] { return of(transfer).may_use(remote); }) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

}  // namespace sluice::fetch

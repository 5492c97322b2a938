#pragma once

#include <cstddef>

#include <curl/curl.h>

namespace sluice::fetch {

// What libcurl calls; `transfer` is the Transfer under way. Nothing is thrown out of them.
std::size_t on_header(char* bytes, std::size_t size, std::size_t count, void* transfer);
std::size_t on_body(char* bytes, std::size_t size, std::size_t count, void* transfer);
int on_progress(void* transfer, curl_off_t down_total, curl_off_t down, curl_off_t up_total, curl_off_t up);
curl_socket_t on_open_socket(void* transfer, curlsocktype purpose, curl_sockaddr* address);
int on_before_request(void* transfer, char* remote, char* local, int remote_port, int local_port);

}  // namespace sluice::fetch

#pragma once

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "sluice/fetch/client.h"

#include "compressed.h"
#include "http_fixture.h"

namespace sluice::fetch::testing {

inline std::unique_ptr<Client> client_of(Policy policy) { return Client::create(std::move(policy)).value(); }
inline std::unique_ptr<Client> loopback_client() { return client_of({.allow_private = true}); }

inline Request request(const std::string& url) {
  Request out;
  out.url = Url::parse(url).value();
  return out;
}

inline Result<Response> send(const std::string& url) { return loopback_client()->send(request(url)); }

// "" where there is none.
template <typename T>
std::string code_of(const Result<T>& result) {
  return result.ok() ? "" : result.error().code;
}

}  // namespace sluice::fetch::testing

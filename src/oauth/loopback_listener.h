#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

#include "sluice/base/clock.h"
#include "sluice/base/result.h"
#include "sluice/fs/descriptor.h"

namespace sluice::oauth {

// A port of 127.0.0.1 that waits for one request of a browser. One thread.
class LoopbackListener {
 public:
  // On this port, and no other.
  static Result<LoopbackListener> open(std::uint16_t port);
  // On `preferred_port` if that is free, else on any.
  static Result<LoopbackListener> open_near(std::uint16_t preferred_port);

  std::uint16_t port() const { return port_; }
  std::string redirect_uri() const;
  // The query of the first request to the redirect URI whose `state` is that; others are turned away.
  Result<std::string> wait(const std::string& state, Monotonic deadline, std::stop_token stop);

 private:
  LoopbackListener(fs::Descriptor socket, std::uint16_t port) : socket_(std::move(socket)), port_(port) {}

  // The query, where the request of this connection is the one.
  std::optional<std::string> serve(const fs::Descriptor& connection, const std::string& state,
                                   Monotonic deadline, std::stop_token stop) const;
  std::optional<std::string> query_of(const std::string& head, const std::string& state) const;

  fs::Descriptor socket_;
  std::uint16_t port_;
};

}  // namespace sluice::oauth

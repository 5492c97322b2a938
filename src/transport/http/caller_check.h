#pragma once

#include <memory>
#include <optional>
#include <string>

#include "sluice/base/admission.h"
#include "sluice/transport/http_server.h"

#include "http/http_exchange.h"
#include "http/http_head.h"

namespace sluice::transport {

// Asks who is calling over one connection. A decision that holds for a while is remembered, so that requests
// that repeat the credentials cost a comparison. Used on the connection's own thread.
class CallerCheck {
 public:
  // `waker` must outlive it.
  CallerCheck(Waker& waker, std::string peer) : waker_(waker), peer_(std::move(peer)) {}
  CallerCheck(const CallerCheck&) = delete;
  CallerCheck& operator=(const CallerCheck&) = delete;
  ~CallerCheck() { forget(); }

  const std::string& peer() const { return peer_; }  // The address, without the port.

  // After this, `take` has the answer, or the waker is called once it has. Whatever was asked before is
  // forgotten.
  void ask(const HttpServerOptions& options, const RequestHead& head);
  std::optional<Admission> take();

 private:
  class Pending;
  void forget();

  Waker& waker_;
  const std::string peer_;
  std::shared_ptr<Pending> pending_;  // Shared with whoever answers. Null: nothing is asked.
  std::string authorization_;         // For which `known_` is the answer.
  std::optional<Admitted> known_;
  std::optional<Admission> answer_;  // To what is asked, if it was known.
};

}  // namespace sluice::transport

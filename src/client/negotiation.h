#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "sluice/base/clock.h"
#include "sluice/base/result.h"
#include "sluice/client/client.h"
#include "sluice/protocol/wire/requests.h"

#include "link.h"

namespace sluice::client {

struct Agreed {
  ServerInfo info;
  protocol::ClientStyle style;
};

// Finds out which era a server speaks, as the specification's pages on versioning and transports say: a
// modern request first, the handshake of the legacy era where the answer does not come from a modern server.
class Negotiation {
 public:
  struct Parts {
    Link& link;
    const ClientOptions& options;
    const protocol::ClientCapabilities& capabilities;
    std::atomic<std::int64_t>& next_id;
    Monotonic deadline;
    std::stop_token stop;
    Eras eras;
  };
  explicit Negotiation(const Parts& parts) : parts_(parts) {}

  Result<Agreed> run();

  // The server went away when it was asked in the modern way: it may be so old that it cannot bear that.
  bool died_of_probe() const { return died_of_probe_; }

 private:
  Result<std::optional<Agreed>> probe();  // Nothing: the server is of the legacy era.
  Result<std::optional<Agreed>> agree(const protocol::Introduction& introduction);
  Result<std::optional<Agreed>> choose_other(const Reply& reply, bool& try_again);
  Result<Agreed> initialize();
  Result<Reply> send_probe();
  Error no_common_version(const std::vector<std::string>& versions) const;
  Status request_logs(const Agreed& agreed);

  const Parts parts_;
  bool died_of_probe_ = false;
  bool was_silent_ = false;         // When it was asked in the modern way,
  bool refused_as_modern_ = false;  // and refused the other way as only a modern server does.
};

}  // namespace sluice::client

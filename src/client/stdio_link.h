#pragma once

#include <memory>

#include "sluice/base/clock.h"
#include "sluice/base/result.h"
#include "sluice/client/target.h"

#include "link.h"

namespace sluice::client {

struct LinkParts {
  Incoming& incoming;  // Both outlive the link.
  const Clock& clock;
  std::size_t message_bytes_max;
};

// Starts the child and reads what it says on a thread of its own.
Result<std::unique_ptr<Link>> open_stdio(const Command& command, const LinkParts& parts);
// A server of this process.
Result<std::unique_ptr<Link>> open_in_process(const InProcess& target, const LinkParts& parts);

}  // namespace sluice::client

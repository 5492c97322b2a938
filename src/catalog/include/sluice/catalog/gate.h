#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/admission.h"
#include "sluice/base/principal.h"

namespace sluice::catalog {

// What a caller presents. Valid during the call.
struct Credentials {
  std::string_view authorization;  // The header; empty if there is none.
  std::string_view peer;           // The address, without the port.
};

// Who asks for something. Valid during the call.
struct Caller {
  const Principal& principal;
  const CallerIdentity* identity = nullptr;  // Null: the caller has no token of an identity provider.
};

enum class Effect : std::uint8_t { kReads, kWrites };

// One thing that a message asks for.
struct Operation {
  std::string_view method;
  std::string_view target;  // The name or URI that the method is about, or empty.
  Effect effect = Effect::kReads;
};

// Decides who is calling and what they may do. Any thread; never blocks.
class Gate {
 public:
  virtual ~Gate() = default;

  // Calls `done` once, before it returns or later from another thread.
  virtual void authenticate(const Credentials& credentials, AdmissionDone done) = 0;
  // False: `allow` allows everything, and need not be called.
  virtual bool limits_operations() const { return true; }
  // Before a message is handled, with all operations of it (of a batch: of all its messages). nullopt: they
  // are allowed.
  virtual std::optional<Refusal> allow(const Caller& caller, const std::vector<Operation>& operations) = 0;
};

}  // namespace sluice::catalog

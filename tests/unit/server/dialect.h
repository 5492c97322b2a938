#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sluice/protocol/revision.h"

namespace sluice::server::testing {

using protocol::Revision;

enum class Transport : std::uint8_t { kPipe, kHttp };

// How a client talks to the server: in which revision, over what.
struct Dialect {
  Revision revision = protocol::kNewest;
  Transport transport = Transport::kPipe;

  bool modern() const { return protocol::is_modern(revision); }
  bool pipe() const { return transport == Transport::kPipe; }
};

inline constexpr Dialect kModernPipe{Revision::k2026_07_28, Transport::kPipe};
inline constexpr Dialect kModernHttp{Revision::k2026_07_28, Transport::kHttp};
inline constexpr Dialect kLegacyPipe{Revision::k2025_11_25, Transport::kPipe};
inline constexpr Dialect kLegacyHttp{Revision::k2025_11_25, Transport::kHttp};

std::vector<Dialect> every_dialect();         // All five revisions, both transports.
std::vector<Dialect> every_legacy_dialect();  // The four with a handshake.
std::vector<Dialect> both_eras();             // The newest revision of each era, both transports.

std::string to_string(const Dialect& dialect);  // "Pipe_2025_11_25"
void PrintTo(const Dialect& dialect, std::ostream* out);
std::string dialect_name(const ::testing::TestParamInfo<Dialect>& info);

// A test that is run once for each dialect it is instantiated with.
class DialectTest : public ::testing::TestWithParam<Dialect> {};

}  // namespace sluice::server::testing

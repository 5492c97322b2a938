#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "sluice/base/result.h"
#include "sluice/catalog/context.h"
#include "sluice/protocol/model/resource.h"

#include "git_uri.h"
#include "place.h"

namespace sluice::git {

struct Question {
  GitUri asked;
  std::string uri;                   // As the caller wrote it.
  std::string prefix;                // Of the URIs of this repository.
  std::size_t room = SIZE_MAX;       // See contents::read_room.
  std::chrono::milliseconds ttl{0};  // Of what is not the status.
};

// What reading a URI of a repository gives.
Result<protocol::ReadResult> answer(const Place& place, const Question& question,
                                    const catalog::Context& context);

}  // namespace sluice::git

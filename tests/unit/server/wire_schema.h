#pragma once

#include <map>
#include <string>
#include <string_view>

#include "sluice/json/value.h"
#include "sluice/protocol/revision.h"

namespace sluice::server::testing {

// Holds every message of the server against the published schema of its revision: a result against the
// definition for the method it answers, a notification or request against its own, an error against the one
// of its code. A violation fails the running test with the place in the message.
class WireSchema {
 public:
  // A request goes out under `id` (as JSON); its answer will be in the words of `revision`.
  void expect_answer(const std::string& id, std::string method, protocol::Revision revision);

  // `revision` is for messages that answer no request we know of.
  void check(const json::Value& message, protocol::Revision revision) const;

 private:
  struct Asked {
    std::string method;
    protocol::Revision revision;
  };
  void check_answer(const json::Object& message, protocol::Revision revision) const;

  std::map<std::string, Asked> asked_;
};

}  // namespace sluice::server::testing

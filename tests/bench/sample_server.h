#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "sluice/protocol/exchange.h"
#include "sluice/server/server.h"

namespace bench {

// A server in this process with the tool and the resource that the load generator asks for.
std::unique_ptr<sluice::server::Server> make_sample_server();

// A request to it, in the two halves that a transport makes of one.
struct SampleRequest {
  sluice::protocol::HttpHead head;
  std::string body;
  std::string expected;  // What a right answer contains.
};
SampleRequest read_request();
SampleRequest call_request();

// Sends it over the memory transport and waits for the answer. Ends the program if it is not the right one.
std::string answer_to(const sluice::protocol::Receiver& receiver, const SampleRequest& request);

}  // namespace bench

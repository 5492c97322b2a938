// Answers a fixed number of requests in this process, without sockets: what tests/bench/instructions counts.
//
//   bench_in_process (read | call) COUNT
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "sample_server.h"

int main(int argc, char** argv) {
  const std::string_view name = argc == 3 ? argv[1] : "";
  if (name != "read" && name != "call") {
    std::fprintf(stderr, "usage: bench_in_process (read | call) COUNT\n");
    return 2;
  }
  const bench::SampleRequest request = name == "read" ? bench::read_request() : bench::call_request();
  const auto server = bench::make_sample_server();
  const sluice::protocol::Receiver receiver = server->receiver();
  const long count = std::strtol(argv[2], nullptr, 10);
  for (long i = 0; i < count; ++i) bench::answer_to(receiver, request);
  return 0;
}

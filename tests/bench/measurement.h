#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace bench {

using Clock = std::chrono::steady_clock;

struct Plan {
  std::size_t warm_up_requests = 0;  // Answered first, and not counted.
  std::chrono::milliseconds duration{3'000};
  std::size_t requests_max = 0;  // 0: as many as the duration allows.
  std::size_t in_flight = 1;     // HTTP: connections, each with one request under way.
  bool checks_ids = true;        // A server that always gives one answer cannot echo ids.
  static constexpr std::chrono::seconds kPatience{20};  // Without any answer; then the run has failed.
};

// Counts answers from the end of the warm-up on, and the processor time that the server took for them.
class Measurement {
 public:
  Measurement(const Plan& plan, pid_t server);

  // One answer, to a request that was sent at `sent`. False: it was the last one that is needed.
  bool add(Clock::time_point sent, Clock::time_point now);
  // One line of JSON.
  std::string report();

 private:
  double server_seconds() const;  // Its processor time until now.

  const Plan plan_;
  const pid_t server_;
  Clock::time_point begin_;
  Clock::time_point last_;
  double server_seconds_at_begin_ = 0;
  double server_seconds_ = 0;
  std::size_t warm_up_left_;
  std::vector<std::uint32_t> latencies_us_;
};

// What all threads of a process have used until now.
double processor_seconds(pid_t process);

// Prints why a measurement is impossible, and ends the program with 1.
[[noreturn]] void give_up(const std::string& reason);

}  // namespace bench

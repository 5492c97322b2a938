#include "measurement.h"

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace bench {
namespace {

double at_percentile(const std::vector<std::uint32_t>& sorted, double percent) {
  if (sorted.empty()) return 0;
  const auto rank = static_cast<std::size_t>(percent / 100 * static_cast<double>(sorted.size()));
  return sorted[std::min(rank, sorted.size() - 1)];
}

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace

void give_up(const std::string& reason) {
  std::fprintf(stderr, "load: %s\n", reason.c_str());
  std::exit(1);
}

Measurement::Measurement(const Plan& plan, pid_t server)
    : plan_(plan),
      server_(server),
      begin_(Clock::now()),
      last_(begin_),
      warm_up_left_(plan.warm_up_requests) {
  server_seconds_at_begin_ = server_seconds();
}

bool Measurement::add(Clock::time_point sent, Clock::time_point now) {
  if (warm_up_left_ > 0) {
    if (--warm_up_left_ > 0) return true;
    begin_ = now;
    server_seconds_at_begin_ = server_seconds();
    return true;
  }
  const auto latency = std::chrono::duration_cast<std::chrono::microseconds>(now - sent).count();
  latencies_us_.push_back(static_cast<std::uint32_t>(latency));
  last_ = now;
  const bool enough = plan_.requests_max > 0 && latencies_us_.size() >= plan_.requests_max;
  if (!enough && now - begin_ < plan_.duration) return true;
  server_seconds_ = server_seconds() - server_seconds_at_begin_;
  return false;
}

std::string Measurement::report() {
  std::sort(latencies_us_.begin(), latencies_us_.end());
  const double seconds = seconds_between(begin_, last_);
  const auto requests = static_cast<double>(latencies_us_.size());
  std::ostringstream out;
  out << R"({"requests":)" << latencies_us_.size() << R"(,"seconds":)" << seconds
      << R"(,"requests_per_second":)" << (seconds > 0 ? requests / seconds : 0) << R"(,"server_cpu_seconds":)"
      << server_seconds_ << R"(,"requests_per_cpu_second":)"
      << (server_seconds_ > 0 ? requests / server_seconds_ : 0) << R"(,"p50_us":)"
      << at_percentile(latencies_us_, 50) << R"(,"p99_us":)" << at_percentile(latencies_us_, 99) << "}";
  return out.str();
}

double processor_seconds(pid_t process) {
  clockid_t clock{};
  timespec time{};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0)
    give_up("read the processor time of process " + std::to_string(process));
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

double Measurement::server_seconds() const { return server_ > 0 ? processor_seconds(server_) : 0; }

}  // namespace bench

#include "measurement.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
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
    : plan_(plan), server_(server), begin_(Clock::now()), last_(begin_) {
  warm_ = plan_.warm_up.count() == 0;
  server_seconds_at_begin_ = server_seconds();
}

bool Measurement::add(Clock::time_point sent, Clock::time_point now) {
  if (!warm_) {
    if (now - begin_ < plan_.warm_up) return true;
    warm_ = true;
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

double Measurement::server_seconds() const {
  if (server_ <= 0) return 0;
  std::ifstream file("/proc/" + std::to_string(server_) + "/stat");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  // The name of the program stands in parentheses and may contain anything; fields are counted behind it.
  std::istringstream fields(text.substr(std::min(text.rfind(')') + 1, text.size())));
  constexpr int kFieldsBefore = 11;  // From the state to the one in front of utime.
  std::string skipped;
  for (int i = 0; i < kFieldsBefore; ++i) fields >> skipped;
  double user_ticks = 0;
  double system_ticks = 0;
  fields >> user_ticks >> system_ticks;
  return (user_ticks + system_ticks) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace bench

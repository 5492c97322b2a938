#include "pipe_load.h"

#include <unordered_map>

#include "child.h"

namespace bench {
namespace {

class PipeLoad {
 public:
  PipeLoad(const Plan& plan, Request request, char* const* command, int cpu)
      : plan_(plan), request_(std::move(request)), child_(command, cpu), measurement_(plan, child_.pid()) {}

  std::string run() {
    send(plan_.in_flight);
    while (true) {
      child_.read(received_);
      const std::size_t answers = take_lines();
      if (done_) return measurement_.report();
      send(answers);
    }
  }

 private:
  // As one write, like a client that answers a burst with a burst.
  void send(std::size_t count) {
    if (count == 0) return;
    batch_.clear();
    const Clock::time_point now = Clock::now();
    for (std::size_t i = 0; i < count; ++i) {
      sent_.emplace(next_id_, now);
      set_id(request_, next_id_++);
      batch_.append(request_.text);
    }
    child_.write(batch_);
  }

  std::size_t take_lines() {
    std::size_t begin = 0;
    std::size_t lines = 0;
    const Clock::time_point now = Clock::now();
    for (std::size_t end; (end = received_.find('\n', begin)) != std::string::npos; begin = end + 1) {
      take({received_.data() + begin, end - begin}, now);
      ++lines;
    }
    received_.erase(0, begin);
    return lines;
  }

  void take(std::string_view line, Clock::time_point now) {
    if (line.find(request_.expected) == std::string_view::npos) give_up("wrong answer: " + std::string(line));
    const auto at = sent_.find(id_of(line).value_or(0));
    if (at == sent_.end()) give_up("the answer is to no request: " + std::string(line));
    done_ = !measurement_.add(at->second, now) || done_;
    sent_.erase(at);
  }

  const Plan plan_;
  Request request_;
  Child child_;
  Measurement measurement_;
  std::uint64_t next_id_ = kFirstId;
  std::unordered_map<std::uint64_t, Clock::time_point> sent_;  // By id; answers come in any order.
  std::string batch_;
  std::string received_;
  bool done_ = false;
};

}  // namespace

std::string load_pipe(const Plan& plan, const Request& request, char* const* command, int cpu) {
  return PipeLoad(plan, request, command, cpu).run();
}

std::string cold_start(const Request& request, char* const* command, int cpu) {
  const Clock::time_point begin = Clock::now();
  const Child child(command, cpu);
  child.write(request.text);
  std::string answer;
  while (answer.find('\n') == std::string::npos) child.read(answer);
  const double ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  const double processor_ms = processor_seconds(child.pid()) * 1e3;
  if (answer.find(request.expected) == std::string::npos) give_up("wrong answer: " + answer);
  return R"({"ms":)" + std::to_string(ms) + R"(,"processor_ms":)" + std::to_string(processor_ms) + "}";
}

}  // namespace bench

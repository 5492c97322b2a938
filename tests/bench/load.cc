// Sends one request again and again and checks every answer. Prints one line of JSON.
//
//   load http PORT REQUEST [options]              over keep-alive connections
//   load stdio REQUEST [options] -- COMMAND…      over the pipe of a server that it starts
//   load cold REQUEST [options] -- COMMAND…       from the start of a server to its first answer
//
// REQUEST is read, call, discover, rows, rows-elsewhere, table, file or file-elsewhere.
#include <charconv>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

#include "http_load.h"
#include "measurement.h"
#include "pipe_load.h"
#include "request.h"

namespace {

constexpr std::string_view kUsage =
    "usage: load (http PORT | stdio | cold) REQUEST\n"
    "            [--in-flight N] [--seconds N] [--warm-up N] [--requests N]\n"
    "            [--server-pid N] [--server-cpu N] [--any-id] [-- COMMAND...]";

struct Arguments {
  bench::Plan plan;
  std::string_view mode;
  std::string_view request;
  int port = 0;
  int server_pid = 0;
  int server_cpu = -1;
  char* const* command = nullptr;
};

class Parser {
 public:
  explicit Parser(std::span<char*> words) : words_(words) {}

  Arguments parse() {
    arguments_.mode = next();
    if (arguments_.mode == "http") arguments_.port = number();
    arguments_.request = next();
    while (at_ < words_.size() && arguments_.command == nullptr) option(next());
    if (arguments_.mode != "http" && arguments_.command == nullptr) bench::give_up(std::string(kUsage));
    return arguments_;
  }

 private:
  void option(std::string_view name) {
    if (name == "--in-flight") {
      arguments_.plan.in_flight = static_cast<std::size_t>(number());
    } else if (name == "--seconds") {
      arguments_.plan.duration = std::chrono::seconds(number());
    } else if (name == "--warm-up") {
      arguments_.plan.warm_up_requests = static_cast<std::size_t>(number());
    } else if (name == "--requests") {
      arguments_.plan.requests_max = static_cast<std::size_t>(number());
    } else if (name == "--server-pid") {
      arguments_.server_pid = number();
    } else if (name == "--server-cpu") {
      arguments_.server_cpu = number();
    } else if (name == "--any-id") {
      arguments_.plan.checks_ids = false;
    } else if (name == "--" && at_ < words_.size()) {
      arguments_.command = &words_[at_];  // main's argv ends with a null pointer.
    } else {
      bench::give_up(std::string(kUsage));
    }
  }

  std::string_view next() {
    if (at_ == words_.size()) bench::give_up(std::string(kUsage));
    return words_[at_++];
  }

  int number() {
    const std::string_view text = next();
    int value = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end.ec != std::errc{} || end.ptr != text.data() + text.size() || value < 0)
      bench::give_up(std::string(kUsage));
    return value;
  }

  std::span<char*> words_;
  std::size_t at_ = 0;
  Arguments arguments_;
};

std::string run(const Arguments& arguments) {
  const bool http = arguments.mode == "http";
  const auto port = static_cast<std::uint16_t>(arguments.port);
  const std::optional<bench::Request> request =
      http ? bench::http_request(arguments.request, port) : bench::line_request(arguments.request);
  if (!request) bench::give_up(std::string(kUsage));
  if (http) return bench::load_http(arguments.plan, *request, port, arguments.server_pid);
  if (arguments.mode == "stdio")
    return bench::load_pipe(arguments.plan, *request, arguments.command, arguments.server_cpu);
  if (arguments.mode == "cold") return bench::cold_start(*request, arguments.command, arguments.server_cpu);
  bench::give_up(std::string(kUsage));
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments = Parser(std::span(argv, static_cast<std::size_t>(argc)).subspan(1)).parse();
  std::printf("%s\n", run(arguments).c_str());
  return 0;
}

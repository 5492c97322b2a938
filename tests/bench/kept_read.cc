// What a program that uses the library sees of what is kept: the same read of the same server through a
// ToolNode that keeps reads and through one that does not, in this process, in turn.
//
//   bench_kept_read URL URI FILE READS
//
// URL is a server behind Streamable HTTP and FILE what URI must be answered with. Prints one line with the
// medians in microseconds, {"kept_us": 1.5, "fetched_us": 450.0, "reads": 2000}.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sluice/client/client.h"
#include "sluice/gateway/tool_node.h"
#include "sluice/json/writer.h"

namespace {

using sluice::gateway::ToolNode;
using Clock = std::chrono::steady_clock;

constexpr int kWarmUpReads = 500;  // So many the compiler of Node needs until the server is quick.

[[noreturn]] void give_up(const std::string& reason) {
  std::fprintf(stderr, "bench_kept_read: %s\n", reason.c_str());
  std::exit(1);
}

std::shared_ptr<ToolNode> node_of(const std::string& url, bool keeps) {
  sluice::gateway::NodeConfig config;
  config.name = "up";
  config.cache.enabled = keeps;
  const auto connector = [&](sluice::client::ClientOptions options) {
    return sluice::client::Client::create(sluice::client::Endpoint{.url = url}, std::move(options));
  };
  auto node = ToolNode::create(config, connector, {});
  if (!node.ok()) give_up(node.error().message);
  if (const sluice::Status connected = (*node)->connect(); !connected.ok())
    give_up(connected.error().message);
  return *std::move(node);
}

// The time that one read takes until its caller has the text, which has to be `expected`.
double read_us(ToolNode& node, const std::string& uri, const std::string& expected) {
  const auto begin = Clock::now();
  const sluice::json::Object answer = node.read_resource(uri, {});
  const std::chrono::duration<double, std::micro> time = Clock::now() - begin;
  const sluice::json::Value* text = answer.find("text");
  if (text == nullptr || text->if_string() == nullptr || *text->if_string() != expected)
    give_up("another answer: " + sluice::json::to_text(answer).substr(0, 300));
  return time.count();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

int main(int argc, char** argv) {
  const int reads = argc == 5 ? std::atoi(argv[4]) : 0;
  if (reads <= 0) give_up("usage: bench_kept_read URL URI FILE READS");
  const std::string uri = argv[2];
  std::ifstream file(argv[3], std::ios::binary);
  const std::string expected{std::istreambuf_iterator<char>(file), {}};
  if (expected.empty()) give_up("there is nothing in the file to compare with");

  const std::shared_ptr<ToolNode> keeping = node_of(argv[1], true);
  const std::shared_ptr<ToolNode> fetching = node_of(argv[1], false);
  std::vector<double> kept;
  std::vector<double> fetched;
  for (int i = -kWarmUpReads; i < reads; ++i) {
    const double fetched_us = read_us(*fetching, uri, expected);
    const double kept_us = read_us(*keeping, uri, expected);
    if (i < 0) continue;
    fetched.push_back(fetched_us);
    kept.push_back(kept_us);
  }
  // One keeps it, and the other has nothing that it could have answered from.
  if (keeping->cache().size() != 1 || fetching->cache().size() != 0) give_up("it is not kept as was meant");

  sluice::json::Writer out;
  out.begin_object().field("kept_us", median(kept)).field("fetched_us", median(fetched));
  out.field("reads", reads).end_object();
  std::printf("%s\n", std::move(out).take().c_str());
  return 0;
}

#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "sluice/client/client.h"
#include "sluice/server/server.h"
#include "sluice/transport/http_server.h"

namespace sluice::client::testing {

// How long a test waits for what must happen. Reached only by a test that fails.
inline constexpr std::chrono::milliseconds kPatience{20'000};

enum class Transport : std::uint8_t { kMemory, kStdio, kHttp };

// The test's server on one transport, and clients of it.
class Served {
 public:
  explicit Served(Transport transport);
  ~Served();
  std::unique_ptr<Client> client(ClientOptions options = {}) const;
  Target target() const { return target_; }

 private:
  std::unique_ptr<server::Server> server_;
  std::unique_ptr<transport::HttpServer> http_;
  Target target_;
};

struct Variant {
  Transport transport;
  Eras eras;
};
std::string name_of(const ::testing::TestParamInfo<Variant>& info);
std::vector<Variant> all_variants();

// Every test of it runs on every transport in both eras.
class OnEveryTransport : public ::testing::TestWithParam<Variant> {
 protected:
  ClientOptions options() const;
  std::unique_ptr<Client> client() const { return served_.client(options()); }
  std::unique_ptr<Client> client(ClientOptions options) const { return served_.client(std::move(options)); }
  bool is_modern() const { return GetParam().eras == Eras::kModern; }

  Served served_{GetParam().transport};
};

Command misbehaving(const std::string& mode);
std::unique_ptr<Client> make_client(Target target, ClientOptions options = {});

std::string text_of(const Result<protocol::ToolResult>& result);  // Of the first block; or "error <code>".
std::string code_of(const Error& error);
template <typename T>
std::string code_of(const Result<T>& result) {
  return result.ok() ? "" : result.error().code;
}

// Things that happen on other threads, waited for.
class Heard {
 public:
  void add(std::string what);
  bool wait_for(const std::string& what) const;  // False: not in time.
  std::size_t count(const std::string& what) const;

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::vector<std::string> heard_;
};

// Answers every form with this name.
Ask name_answer(const std::string& name);

}  // namespace sluice::client::testing

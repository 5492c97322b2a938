#pragma once

#include <stop_token>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/catalog/context.h"

namespace sluice::catalog {

// A Context whose client hears nothing and cannot be asked.
class QuietContext final : public Context {
 public:
  explicit QuietContext(std::stop_token stop = {}, Monotonic deadline = Monotonic::max())
      : stop_(std::move(stop)), deadline_(deadline) {}

  const Principal& principal() const override { return principal_; }
  std::stop_token stop() const override { return stop_; }
  Monotonic deadline() const override { return deadline_; }
  const Budget& budget() const override { return budget_; }
  const protocol::ClientCapabilities& client() const override { return client_; }
  const json::Object& meta() const override { return meta_; }
  void progress(protocol::Progress) override {}
  void log(protocol::LogLevel, std::string_view, const json::Value&) override {}
  Result<Answers> ask(std::vector<protocol::Question>) override {
    return make_error(ErrorKind::kMissingCapability, "nobody to ask");
  }
  bool can_ask(const protocol::QuestionBody&) const override { return false; }
  Result<bool> become_task() override { return false; }
  void release_connection() override {}

 private:
  std::stop_token stop_;
  Monotonic deadline_;
  Principal principal_ = local_principal();
  Budget budget_;
  protocol::ClientCapabilities client_;
  json::Object meta_;
};

}  // namespace sluice::catalog

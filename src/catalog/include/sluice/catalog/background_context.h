#pragma once

#include <stop_token>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/catalog/context.h"

namespace sluice::catalog {

// The context of work that no client has asked for: it belongs to the operator, and there is nobody to report
// to or to ask.
class BackgroundContext final : public Context {
 public:
  BackgroundContext(std::stop_token stop, Monotonic deadline) : stop_(std::move(stop)), deadline_(deadline) {}

  const Principal& principal() const override { return principal_; }
  std::stop_token stop() const override { return stop_; }
  Monotonic deadline() const override { return deadline_; }
  const Budget& budget() const override { return budget_; }
  const protocol::ClientCapabilities& client() const override { return client_; }
  const json::Object& meta() const override { return meta_; }
  void progress(protocol::Progress /*progress*/) override {}
  void log(protocol::LogLevel /*level*/, std::string_view /*logger*/, const json::Value& /*data*/) override {}
  Result<Answers> ask(std::vector<protocol::Question> /*questions*/) override {
    return make_error(ErrorKind::kMissingCapability, "there is no client to ask");
  }
  bool can_ask(const protocol::QuestionBody& /*question*/) const override { return false; }
  Result<bool> become_task() override { return false; }
  void release_connection() override {}

 private:
  const std::stop_token stop_;
  const Monotonic deadline_;
  const Principal principal_ = local_principal();
  const Budget budget_;
  const protocol::ClientCapabilities client_;
  const json::Object meta_;
};

}  // namespace sluice::catalog

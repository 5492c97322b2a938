#pragma once

#include <stop_token>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/catalog/context.h"

#include "access.h"

namespace sluice::exports {

// The context of a request of the REST interface: there is nobody to report to or to ask.
class RestContext final : public catalog::Context {
 public:
  RestContext(const Access& caller, std::stop_token stop, Monotonic deadline)
      : principal_(caller.principal()), stop_(std::move(stop)), deadline_(deadline) {}

  const Principal& principal() const override { return principal_; }
  std::stop_token stop() const override { return stop_; }
  Monotonic deadline() const override { return deadline_; }
  const Budget& budget() const override { return budget_; }
  const protocol::ClientCapabilities& client() const override { return client_; }
  const json::Object& meta() const override { return meta_; }
  void progress(protocol::Progress /*progress*/) override {}
  void log(protocol::LogLevel /*level*/, std::string_view /*logger*/, const json::Value& /*data*/) override {}
  Result<catalog::Answers> ask(std::vector<protocol::Question> /*questions*/) override {
    return make_error(ErrorKind::kMissingCapability, "there is no client to ask");
  }
  bool can_ask(const protocol::QuestionBody& /*question*/) const override { return false; }
  Result<bool> become_task() override { return false; }
  void release_connection() override {}

 private:
  const Principal principal_;
  const std::stop_token stop_;
  const Monotonic deadline_;
  const Budget budget_;
  const protocol::ClientCapabilities client_;
  const json::Object meta_;
};

}  // namespace sluice::exports

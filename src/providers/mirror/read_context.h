#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/catalog/context.h"

namespace sluice::mirror {

// The Context of a tool call, given to the provider of a resource with another budget. `call` must outlive
// it.
class ReadContext final : public catalog::Context {
 public:
  ReadContext(catalog::Context& call, const Budget& budget) : call_(call), budget_(budget) {}

  const Principal& principal() const override { return call_.principal(); }
  catalog::SessionToken session() const override { return call_.session(); }
  std::string request_id() const override { return call_.request_id(); }
  std::stop_token stop() const override { return call_.stop(); }
  Monotonic deadline() const override { return call_.deadline(); }
  const Budget& budget() const override { return budget_; }
  const protocol::ClientCapabilities& client() const override { return call_.client(); }
  const json::Object& meta() const override { return call_.meta(); }
  void progress(protocol::Progress progress) override { call_.progress(std::move(progress)); }
  void log(protocol::LogLevel level, std::string_view logger, const json::Value& data) override {
    call_.log(level, logger, data);
  }
  Result<catalog::Answers> ask(std::vector<protocol::Question> questions) override {
    return call_.ask(std::move(questions));
  }
  bool can_ask(const protocol::QuestionBody& question) const override { return call_.can_ask(question); }
  bool is_retry() const override { return call_.is_retry(); }
  Result<bool> become_task() override { return call_.become_task(); }
  void release_connection() override { call_.release_connection(); }

 private:
  catalog::Context& call_;
  const Budget budget_;
};

}  // namespace sluice::mirror

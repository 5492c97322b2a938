#include <atomic>
#include <utility>

#include "sluice/base/assert.h"
#include "sluice/base/mutex.h"

#include "dispatch/front.h"
#include "session/legacy_session.h"

namespace sluice::server {
namespace {

constexpr std::size_t kBatchMessagesMax = 100;

// Collects the answers to the messages of a batch and sends them as one array when the last one is there.
class Batch {
 public:
  Batch(std::shared_ptr<protocol::Exchange> exchange, std::size_t messages)
      : exchange_(std::move(exchange)), open_(messages) {}

  protocol::Exchange& exchange() { return *exchange_; }

  void finished(const std::string& message) {
    std::string all;
    {
      const MutexLock lock(mutex_);
      if (!message.empty()) {
        if (!answers_.empty()) answers_ += ',';
        answers_ += message;
      }
      SLUICE_ASSERT(open_ > 0, "every message of a batch finishes once");
      if (--open_ > 0) return;
      all = std::move(answers_);
    }
    if (all.empty()) return exchange_->finish(protocol::Final{.status = 202});
    exchange_->finish(protocol::Final{.message = '[' + all + ']'});
  }

 private:
  const std::shared_ptr<protocol::Exchange> exchange_;
  Mutex mutex_;
  std::string answers_ SLUICE_GUARDED_BY(mutex_);
  std::size_t open_ SLUICE_GUARDED_BY(mutex_);
};

// One message of a batch, as an exchange of its own.
class BatchMember final : public protocol::Exchange {
 public:
  explicit BatchMember(std::shared_ptr<Batch> batch) : batch_(std::move(batch)) {}

  const protocol::Inbound& inbound() const override { return batch_->exchange().inbound(); }
  bool send(protocol::Outbound message) override { return batch_->exchange().send(std::move(message)); }
  void finish(protocol::Final final) override {
    if (!done_.exchange(true)) batch_->finished(final.message);
  }
  void release() override { finish(protocol::Final{}); }
  std::stop_token gone() const override { return batch_->exchange().gone(); }

 private:
  const std::shared_ptr<Batch> batch_;  // Shared by the members.
  std::atomic<bool> done_{false};
};

}  // namespace

void receive_batch(Core& core, const std::shared_ptr<protocol::Exchange>& exchange, json::Array batch) {
  const std::shared_ptr<LegacySession> session = find_session(core, *exchange);
  const bool known = session != nullptr && session->revision() == protocol::Revision::k2025_03_26;
  if (!known || batch.empty() || batch.size() > kBatchMessagesMax) {
    const std::string why =
        known ? "a batch has 1 to 100 messages" : "batches exist in revision 2025-03-26 only";
    return refuse(exchange, std::nullopt,
                  protocol::WireError{.code = protocol::kInvalidRequest, .message = why, .http_status = 400});
  }
  for (const json::Value& message : batch) {
    const json::Value* method = message.find("method");
    if (method == nullptr || method->if_string() == nullptr || *method->if_string() != "initialize") continue;
    return refuse(exchange, std::nullopt,
                  protocol::WireError{.code = protocol::kInvalidRequest,
                                      .message = "initialize may not be part of a batch",
                                      .http_status = 400});
  }
  const auto shared = std::make_shared<Batch>(exchange, batch.size());
  for (json::Value& message : batch)
    receive_message(core, std::make_shared<BatchMember>(shared), std::move(message));
}

}  // namespace sluice::server

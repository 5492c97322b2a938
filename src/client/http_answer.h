#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/fetch/message.h"
#include "sluice/transport/sse.h"

#include "link.h"

namespace sluice::client {

// Takes the answer of one HTTP request: one JSON message, or a stream of them. A stream that is resumed goes
// on in the same object. One thread.
class HttpAnswer final : public fetch::Sink {
 public:
  struct Parts {
    Incoming& incoming;        // Outlives this, as the request does.
    const Outgoing* outgoing;  // Null where nothing was asked: only what the server sends of its own accord.
    std::size_t message_bytes_max;
    std::function<void()> on_open;  // A stream has begun, and goes on with none before it. May be empty.
    // Who answers what is asked beside a request. May be empty.
    std::function<std::shared_ptr<AskScope>()> asks_beside = {};
    // What the server does with a stream once it has answered: it ends it, so the connection can be used
    // again, or it does not, and waiting for that is for nothing.
    bool stream_ends = true;
  };
  explicit HttpAnswer(Parts parts) : parts_(std::move(parts)), parser_(parts_.message_bytes_max) {}

  Status begin(const fetch::Head& head) override;
  Result<fetch::Flow> write(std::string_view piece) override;

  const fetch::Head& head() const { return head_; }
  bool is_stream() const { return is_stream_; }
  bool has_reply() const { return reply_.has_value(); }
  // The stream had its answer and stayed open all the same, as far as can be told now that it is over.
  bool lingered(Monotonic now) const;
  // What came was too much or made no sense: not worth another try.
  const std::optional<Error>& failure() const { return failure_; }
  // Since it was begun, or resumed.
  std::size_t messages() const { return messages_; }
  const std::string& last_event_id() const { return last_event_id_; }
  std::optional<std::chrono::milliseconds> retry() const { return retry_; }

  // The answer, once the transfer is over; nothing where there is none in what came.
  Result<std::optional<Reply>> take_reply();

 private:
  Result<fetch::Flow> take_piece(std::string_view piece);
  Status take_message(std::string_view text);
  Status take_unreadable(std::string_view text, const Error& error);
  Status take_garbage(const Error& error);

  const Parts parts_;
  fetch::Head head_;
  bool is_stream_ = false;
  transport::SseParser parser_;
  std::string last_event_id_;
  std::optional<std::chrono::milliseconds> retry_;
  std::vector<transport::SseEvent> events_;
  std::string body_;
  std::size_t messages_ = 0;
  std::size_t garbage_ = 0;
  std::optional<Reply> reply_;
  Monotonic replied_at_{};
  std::optional<Error> failure_;
};

}  // namespace sluice::client

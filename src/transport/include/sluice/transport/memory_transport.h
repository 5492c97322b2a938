#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sluice/protocol/exchange.h"

namespace sluice::transport {

// A pipe without a process: what the client sends is received at once, what the server sends waits in a
// queue.
class MemoryPipe {
 public:
  explicit MemoryPipe(protocol::Receiver receiver);
  ~MemoryPipe();  // The client goes away.
  MemoryPipe(const MemoryPipe&) = delete;
  MemoryPipe& operator=(const MemoryPipe&) = delete;

  void send(std::string message);
  // The next message of the server, or nothing within `at_most`.
  std::optional<std::string> receive(std::chrono::milliseconds at_most);
  void close();

 private:
  class Pipe;
  const protocol::Receiver receiver_;
  const std::shared_ptr<Pipe> pipe_;  // Shared with the exchanges.
};

// One HTTP request without a socket.
class MemoryRequest {
 public:
  struct Event {
    std::string message;
    std::string event_id;
  };
  struct Outcome {
    std::vector<Event> events;  // What came before the final message.
    bool streamed = false;      // An SSE response was opened.
    bool released = false;      // The response ended without a final message.
    std::optional<protocol::Final> final;
  };

  MemoryRequest(const protocol::Receiver& receiver, protocol::HttpHead head, std::string body,
                Principal principal = local_principal());
  ~MemoryRequest();  // The client goes away.
  MemoryRequest(const MemoryRequest&) = delete;
  MemoryRequest& operator=(const MemoryRequest&) = delete;

  // Waits for the end of the response.
  Outcome wait(std::chrono::milliseconds at_most);
  // Waits until `count` messages have come before the final one.
  Outcome wait_events(std::size_t count, std::chrono::milliseconds at_most);
  void close();

 private:
  class Exchange;
  const std::shared_ptr<Exchange> exchange_;  // Shared with the server.
};

}  // namespace sluice::transport

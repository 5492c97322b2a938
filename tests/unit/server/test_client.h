#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/principal.h"
#include "sluice/protocol/exchange.h"
#include "sluice/server/server.h"
#include "sluice/transport/memory_transport.h"

#include "dialect.h"
#include "one_time_signal.h"
#include "wire_message.h"
#include "wire_schema.h"

namespace sluice::server::testing {

struct ClientOptions {
  std::string capabilities = "{}";
  Principal principal = local_principal();  // HTTP only: a pipe is always the local principal's.
  std::string log_level;                    // Modern era: goes with every request.
};

// A client of one server in one dialect. Parameters are JSON texts. Everything that the server sends is held
// against the schema of the revision it is sent in. One thread.
class TestClient {
 public:
  class Pending;

  // In the legacy era this opens a session.
  TestClient(Server& server, Dialect dialect, ClientOptions options = {});
  ~TestClient();
  TestClient(const TestClient&) = delete;
  TestClient& operator=(const TestClient&) = delete;

  // Sends a request and waits for its answer.
  WireMessage call(std::string_view method, std::string_view params = "{}");
  WireMessage call_tool(std::string_view name, std::string_view arguments = "{}");
  // Sends a request and does not wait.
  std::unique_ptr<Pending> start(std::string_view method, std::string_view params = "{}");
  std::unique_ptr<Pending> start_tool(std::string_view name, std::string_view arguments = "{}");
  void notify(std::string_view method, std::string_view params = "{}");
  // Answers a request of the server (legacy era).
  void answer(const WireMessage& question, std::string_view result);
  void answer_with_error(const WireMessage& question, std::string_view error);

  // The next message that answers no request: on a pipe any notification or question, on legacy HTTP what
  // comes over the stream opened by `open_stream`.
  WireMessage next();
  void open_stream();
  // Whether everything that came over the pipe so far has been read.
  bool is_quiet();
  // GET with Last-Event-ID.
  std::unique_ptr<Pending> resume(const std::string& last_event_id);

  // Asks for the tools until the server refuses, as it does once it stops. False: it goes on answering.
  bool is_refused_soon();

  // From now on requests are in this revision, over the same transport.
  void speak(Revision revision) { dialect_.revision = revision; }
  const std::string& session_id() const { return session_id_; }

  // The pieces, for tests that send something else than a good client would.
  std::string next_id() { return std::to_string(next_id_++); }
  std::string request(std::string_view id, std::string_view method, std::string_view params) const;
  protocol::HttpHead head(std::string_view method, std::string_view params) const;
  std::unique_ptr<Pending> post(protocol::HttpHead head, const std::string& body);
  std::unique_ptr<Pending> send(
      const std::string& body);  // A pipe takes it as it is; HTTP with plain headers.

  void close();  // The pipe.

 private:
  friend class Pending;

  void open_session();
  json::Object with_metadata(std::string_view params) const;
  void remember(const std::string& body);
  WireMessage read(const std::string& text);
  void pump();
  void take(WireMessage message);
  WireMessage take_reply(const std::string& id);

  Server& server_;
  Dialect dialect_;
  const ClientOptions options_;
  WireSchema schema_;
  std::string session_id_;
  std::int64_t next_id_ = 1;

  std::unique_ptr<transport::MemoryPipe> pipe_;  // Null on HTTP.
  std::map<std::string, WireMessage> replies_;   // By id as JSON.
  std::deque<WireMessage> inbox_;
  std::unique_ptr<Pending> stream_;  // What GET opened.
};

// A request that may have no answer yet.
class TestClient::Pending {
 public:
  Pending(TestClient& client, std::string id, std::unique_ptr<transport::MemoryRequest> http);
  ~Pending();
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;

  const std::string& id() const { return id_; }

  WireMessage reply();
  // The next message that came before the answer. On a pipe: the next that is no answer, whatever it is
  // about.
  WireMessage next();

  // Cancels as the dialect has it: by a notification, or by going away.
  void cancel();
  // Goes away. HTTP only.
  void disconnect() { http_->close(); }

  // What HTTP says of a response that is over.
  int status();
  std::string header(std::string_view name);
  bool released();                  // The stream ended without an answer.
  bool streamed();                  // There was a stream.
  std::string event_id(int event);  // Of the event with that number, from 0 on.

 private:
  transport::MemoryRequest::Outcome finished();

  TestClient& client_;
  const std::string id_;
  const std::unique_ptr<transport::MemoryRequest> http_;  // Null on a pipe.
  std::size_t taken_ = 0;
};

}  // namespace sluice::server::testing

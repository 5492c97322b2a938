#pragma once

#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/budget.h"
#include "sluice/base/clock.h"
#include "sluice/base/principal.h"
#include "sluice/base/result.h"
#include "sluice/json/value.h"
#include "sluice/protocol/model/ask.h"
#include "sluice/protocol/model/log_level.h"
#include "sluice/protocol/wire/notifications.h"

namespace sluice::catalog {

using Answers = std::map<std::string, protocol::Answer, std::less<>>;  // By the key of the question.

// Stands for a session of the legacy era. Tokens with the same owner (`owner_before`) mean the same session;
// one has expired when the session has ended and its last call has returned.
using SessionToken = std::weak_ptr<const void>;

// What a handler gets beside its arguments. It belongs to one call and lives until the handler returns; it
// may be used from the handler's threads. It hides the protocol's era and the transport.
class Context {
 public:
  virtual ~Context() = default;

  virtual const Principal& principal() const = 0;
  // The session that the call belongs to. Default-constructed in the modern era, which has none.
  virtual SessionToken session() const { return {}; }
  // What logs call this call: the request's id as text. Empty where there is none.
  virtual std::string request_id() const { return {}; }
  virtual std::stop_token stop()
      const = 0;  // Requested when the caller cancels, goes away, or time runs out.
  virtual Monotonic deadline() const = 0;
  virtual const Budget& budget() const = 0;
  virtual const protocol::ClientCapabilities& client() const = 0;
  virtual const json::Object& meta() const = 0;  // The request's `_meta`, trace context included.

  // Both are cheap where the client did not ask for them. Progress must grow; what does not is dropped.
  virtual void progress(protocol::Progress progress) = 0;
  virtual void log(protocol::LogLevel level, std::string_view logger, const json::Value& data) = 0;

  // Asks the client, all questions at once. Returns when every answer is there. kInputRequired means that the
  // answers come with a retry of this call: the handler returns that error at once and is run again from the
  // start. kMissingCapability means that this client cannot be asked; the handler may answer with the
  // question instead. An accepted form has been checked against its schema.
  virtual Result<Answers> ask(std::vector<protocol::Question> questions) = 0;
  virtual bool can_ask(const protocol::QuestionBody& question) const = 0;
  // Whether this call brings along answers to what an earlier run of it has asked.
  virtual bool is_retry() const { return false; }

  // Answers the caller with a task handle now; the handler goes on in the background and what it returns
  // becomes the task's result. False: this client knows no tasks and keeps waiting. Only for tools that
  // declare task support.
  virtual Result<bool> become_task() = 0;

  // Lets a legacy-era HTTP client reconnect instead of holding a connection open. Does nothing elsewhere.
  virtual void release_connection() = 0;

  // One question.
  Result<protocol::ElicitAnswer> ask_form(const std::string& key, protocol::ElicitForm form);
};

}  // namespace sluice::catalog

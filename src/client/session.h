#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/mutex.h"
#include "sluice/client/client.h"
#include "sluice/protocol/wire/header_parameters.h"

#include "ask_scope.h"
#include "events.h"
#include "jobs.h"
#include "link.h"
#include "negotiation.h"

namespace sluice::client {

// One call of the public methods, however many requests it takes.
struct Call {
  const CallOptions& options;  // Outlives it.
  Monotonic deadline;
  std::shared_ptr<AskScope> asks;  // Null where nobody can answer.
};

// A link on which both sides know how to speak.
struct Connection {
  std::shared_ptr<Link> link;  // Shared with requests that are under way over it.
  Agreed agreed;
  Monotonic since;

  bool is_modern() const { return protocol::is_modern(agreed.info.revision); }
  bool mirrors() const { return is_modern() && link->is_http(); }
};

// The conversation with one server: connects, and connects again; sends requests in the words of the server's
// era; answers what the server asks. Any thread.
class Session final : private Incoming {
 public:
  Session(Target target, ClientOptions options);
  ~Session() override;

  const ClientOptions& options() const { return options_; }
  Events& events() { return events_; }
  Monotonic now() const { return options_.clock->now(); }
  Monotonic deadline_of(const CallOptions& options) const;
  std::stop_token closing() const { return closing_.get_token(); }

  // Told of every change of a list, before the callbacks are. Set once, before anything is called.
  void on_list_changed(std::function<void(ListKind)> told) { list_told_ = std::move(told); }
  // Called when the server says that the headers of a tool's call are not what it expects.
  void on_header_mismatch(std::function<Status(const Call&)> refresh) { refresh_tools_ = std::move(refresh); }
  void set_tool_headers(std::map<std::string, std::vector<protocol::HeaderParameter>, std::less<>> headers);

  // Runs one call, with somebody to answer the server's questions for as long as it lasts.
  template <typename Work>
  auto run(const CallOptions& options, Work work) {
    Call call{.options = options, .deadline = deadline_of(options), .asks = asks_of(options)};
    auto result = work(call);
    if (call.asks) call.asks->leave();
    return result;
  }

  Result<std::shared_ptr<const Connection>> connection(Monotonic deadline, std::stop_token stop);

  // One request, and its result as it came. Tried again only where it surely has not been carried out: the
  // session was gone, or the server wants other headers.
  struct Answered {
    json::Object result;
    protocol::Revision revision;
  };
  Result<Answered> request(const std::string& method, const json::Object& params, const Call& call);
  // One request that stays: notifications go to `on_notification` until it ends, with how it ended.
  Result<Reply> listen(const Connection& at, const json::Object& params, std::stop_token stop,
                       std::function<void(const protocol::Notification&)> on_notification);

  // Questions of the server, answered by whoever can within this call.
  Result<protocol::Answer> answer(const protocol::Question& question, const Call& call);
  void take_notification(const protocol::Notification& notification, const CallOptions* options);

  // Something to do beside, where there is room for it.
  bool start_job(std::function<void()> work) { return jobs_.start(std::move(work)); }
  void close();
  std::string error_output() const;

 private:
  void notified(const protocol::Notification& notification) override;
  void asked(protocol::Request request, std::shared_ptr<AskScope> asks) override;
  std::string answer_text(const protocol::Request& request, AskScope* asks);

  std::shared_ptr<AskScope> asks_of(const CallOptions& options) const;
  Result<std::shared_ptr<const Connection>> connect(Monotonic deadline, std::stop_token stop);
  Result<std::shared_ptr<const Connection>> open(Eras eras, Monotonic deadline, std::stop_token stop,
                                                 bool& died_of_probe);
  Result<std::shared_ptr<Link>> open_link();
  void drop(const std::shared_ptr<const Connection>& connection);
  void end_link(const std::shared_ptr<Link>& link);
  void count_end(const Connection& connection) SLUICE_REQUIRES(mutex_);
  void count_failure(const Error& error) SLUICE_REQUIRES(mutex_);
  std::chrono::milliseconds backoff() const SLUICE_REQUIRES(mutex_);

  Result<Reply> exchange(const Connection& at, const std::string& method, const json::Object& params,
                         const Call& call);
  Outgoing outgoing_of(const Connection& at, const std::string& method, const json::Object& params,
                       const CallOptions& options);
  void tell_cancelled(const Connection& at, std::int64_t id);

  const Target target_;
  const ClientOptions options_;
  const protocol::ClientCapabilities capabilities_;
  std::function<void(ListKind)> list_told_;
  std::function<Status(const Call&)> refresh_tools_;
  std::atomic<std::int64_t> next_id_{1};
  std::stop_source closing_;

  Mutex headers_mutex_;
  std::map<std::string, std::vector<protocol::HeaderParameter>, std::less<>> tool_headers_
      SLUICE_GUARDED_BY(headers_mutex_);

  mutable Mutex mutex_;
  CondVar changed_;
  std::shared_ptr<const Connection> current_ SLUICE_GUARDED_BY(mutex_);
  std::shared_ptr<Link> latest_link_ SLUICE_GUARDED_BY(mutex_);  // Also while it is not agreed how to speak.
  bool connecting_ SLUICE_GUARDED_BY(mutex_) = false;
  std::size_t failures_ SLUICE_GUARDED_BY(mutex_) = 0;
  Monotonic retry_at_ SLUICE_GUARDED_BY(mutex_){};
  std::optional<Error> last_error_ SLUICE_GUARDED_BY(mutex_);

  Events events_;
  Jobs jobs_;  // Uses everything above.
};

}  // namespace sluice::client

#include "sluice/server/server.h"

#include <set>
#include <utility>

#include "sluice/base/log.h"
#include "sluice/base/mutex.h"
#include "sluice/json/reader.h"
#include "sluice/protocol/wire/notifications.h"

#include "core.h"
#include "dispatch/access_check.h"
#include "dispatch/front.h"
#include "methods/methods.h"
#include "session/legacy_session.h"

namespace sluice::server {
namespace {

class ServerImpl final : public Server, private catalog::ChangeSink {
 public:
  ServerImpl(ServerOptions options, std::unique_ptr<catalog::Catalog> catalog)
      : core_(std::move(options), std::move(catalog)) {
    core_.catalog->forward_changes(this);
    core_.on_late = give_up_stuck;
    core_.tasks.set_listener(
        [this](const protocol::TaskState& task) { core_.subscriptions.task_changed(task); });
  }

  ~ServerImpl() override {
    core_.catalog->forward_changes(nullptr);
    ServerImpl::stop(std::chrono::milliseconds{0});
  }

  void receive(std::shared_ptr<protocol::Exchange> exchange) override {
    const protocol::Inbound& inbound = exchange->inbound();
    if (inbound.http && inbound.http->method != "POST" && core_.stopping)
      return refuse_stopping(exchange, std::nullopt);
    if (inbound.http && inbound.http->method != "POST") return receive_bodiless(exchange);
    if (inbound.connection) follow(inbound.connection);
    Result<json::Value> message =
        json::read(inbound.body, json::ReadLimits{.bytes_max = core_.options.message_bytes_max});
    exchange->release_body();
    if (message.ok()) {
      if (const std::optional<Refusal> refusal = check_access(core_, inbound, *message))
        return exchange->finish(refused_access(*refusal, *message));
    }
    if (!message) {
      return refuse(
          exchange, std::nullopt,
          protocol::WireError{
              .code = protocol::kParseError, .message = message.error().message, .http_status = 400});
    }
    if (json::Array* batch = message->if_array()) return receive_batch(core_, exchange, std::move(*batch));
    receive_message(core_, exchange, *std::move(message));
  }

  Status replace(const std::shared_ptr<catalog::Generation>& generation) override {
    return core_.catalog->replace(generation);
  }

  bool stop(std::chrono::milliseconds grace) override {
    core_.stopping = true;
    for (const auto& stream : core_.subscriptions.all()) close_listen_stream(core_, stream);
    core_.tasks.cancel_all();
    bool quiet = core_.in_flight.wait_empty(grace);
    if (!quiet) {
      log::warning("server.cancelling", {{"requests", core_.in_flight.size()}});
      core_.in_flight.cancel_all();
      constexpr std::chrono::milliseconds kCancelGrace{1'000};
      quiet = core_.in_flight.wait_empty(kCancelGrace);
    }
    for (const auto& session : core_.sessions.all()) {
      core_.sessions.remove(session->id());
      core_.end_session(session);
    }
    return quiet && core_.workers.stuck() == 0;
  }

 private:
  // GET and DELETE.
  void receive_bodiless(const std::shared_ptr<protocol::Exchange>& exchange) {
    if (const std::optional<Refusal> refusal = check_access(core_, exchange->inbound()))
      return exchange->finish(refused_access(*refusal, json::Value()));
    if (exchange->inbound().http->method == "DELETE") return end_legacy_session(core_, exchange);
    open_legacy_stream(core_, exchange);
    // The stream is open for as long as the token that it was opened with; the session takes the next one.
    const std::weak_ptr<protocol::Exchange> weak = exchange;
    core_.token_ends.add(exchange->inbound().identity.get(), weak, [weak] {
      if (const std::shared_ptr<protocol::Exchange> open = weak.lock()) open->release();
    });
  }

  // When a pipe closes, everything that came over it ends. Registered once for each pipe.
  void follow(const std::shared_ptr<protocol::Connection>& connection) {
    const MutexLock lock(pipes_mutex_);
    protocol::Connection* key = connection.get();
    if (pipes_.contains(key)) return;
    std::erase_if(pipes_,
                  [](const auto& entry) { return entry.second->connection->gone().stop_requested(); });
    auto pipe = std::make_unique<Pipe>();
    pipe->connection = connection;
    pipe->on_gone.emplace(connection->gone(), [this, key] {
      if (const std::shared_ptr<LegacySession> session = core_.sessions.remove(key))
        core_.end_session(session);
    });
    pipes_.emplace(key, std::move(pipe));
  }

  void tools_changed() override { list_changed("tools"); }
  void prompts_changed() override { list_changed("prompts"); }
  void resources_changed() override { list_changed("resources"); }

  void list_changed(std::string_view list) {
    core_.subscriptions.list_changed(list);
    for (const auto& session : core_.sessions.all())
      session->send_unsolicited(protocol::list_changed_notification(list, ""));
  }

  void resource_updated(const std::string& uri) override {
    core_.subscriptions.resource_updated(uri);
    for (const auto& session : core_.sessions.all()) {
      if (session->is_subscribed(uri))
        session->send_unsolicited(protocol::resource_updated_notification(uri, ""));
    }
  }

  struct Pipe {
    std::shared_ptr<protocol::Connection> connection;  // Shared with the transport; keeps the key unique.
    std::optional<std::stop_callback<std::function<void()>>> on_gone;
  };

  Core core_;
  Mutex pipes_mutex_;
  std::map<protocol::Connection*, std::unique_ptr<Pipe>> pipes_ SLUICE_GUARDED_BY(pipes_mutex_);
};

}  // namespace

Result<std::unique_ptr<Server>> Server::create(ServerOptions options,
                                               std::vector<std::shared_ptr<catalog::Provider>> providers) {
  return create(std::move(options), std::make_shared<catalog::Generation>(std::move(providers)));
}

Result<std::unique_ptr<Server>> Server::create(ServerOptions options,
                                               std::shared_ptr<catalog::Generation> generation) {
  SLUICE_TRY(std::unique_ptr<catalog::Catalog> catalog,
             catalog::Catalog::create(std::move(generation), options.signer));
  return std::unique_ptr<Server>(std::make_unique<ServerImpl>(std::move(options), std::move(catalog)));
}

protocol::Receiver Server::receiver() {
  return [this](std::shared_ptr<protocol::Exchange> exchange) { receive(std::move(exchange)); };
}

}  // namespace sluice::server

#include "subscriptions.h"

#include <utility>

#include "sluice/base/limits.h"
#include "sluice/protocol/wire/notifications.h"
#include "sluice/protocol/wire/results.h"

#include "call/call.h"
#include "call/share_limits.h"

namespace sluice::server {

ListenStream::ListenStream(std::shared_ptr<Call> call, protocol::ListenParams agreed)
    : call_(std::move(call)),
      agreed_(std::move(agreed)),
      uris_(agreed_.resource_uris.begin(), agreed_.resource_uris.end()),
      tasks_(agreed_.task_ids.begin(), agreed_.task_ids.end()),
      id_json_(to_json(call_->id)) {}

void ListenStream::acknowledge() {
  const MutexLock lock(mutex_);
  call_->responder->notify(protocol::acknowledged_notification(agreed_, id_json_));
  acknowledged_ = true;
  for (std::string& message : early_) call_->responder->notify(std::move(message));
  early_.clear();
}

void ListenStream::deliver(std::string message) {
  const MutexLock lock(mutex_);
  if (acknowledged_) {
    call_->responder->notify(std::move(message));
  } else if (early_.size() < kStreamQueueMessagesMax) {
    early_.push_back(std::move(message));
  }
}

Status Subscriptions::add(std::shared_ptr<ListenStream> stream) {
  const Call& call = *stream->call();
  Entry entry{.stream = stream,
              .count = QuotaShare(count_, call.share.owner),
              .bytes = QuotaShare(bytes_, call.share.owner)};
  if (!entry.count.grow(1)) {
    return limit_reached("open subscriptions", kListenStreamsMax)
        .with_code("too_busy")
        .with_hint("One caller may have a part of them. Close a stream that is open.");
  }
  std::uint64_t bytes = 0;
  for (const std::string& uri : stream->agreed().resource_uris) bytes += subscription_cost(uri);
  if (!entry.bytes.grow(bytes)) {
    return limit_reached("bytes of subscribed URIs", kSubscribedBytesMax)
        .with_code("too_many_subscriptions")
        .with_hint(
            "One caller may use a part of them. Subscribe to fewer URIs, or close a stream that is open.");
  }
  {
    const MutexLock lock(mutex_);
    streams_.emplace(&call, std::move(entry));
  }
  for (const std::string& uri : stream->agreed().resource_uris) {
    if (const Result<ResourceUri> parsed = ResourceUri::parse(uri)) catalog_.watch(*parsed);
  }
  stream->acknowledge();
  return {};
}

void Subscriptions::remove(const Call* call) {
  std::shared_ptr<ListenStream> stream;
  {
    const MutexLock lock(mutex_);
    const auto at = streams_.find(call);
    if (at == streams_.end()) return;
    stream = at->second.stream;
    streams_.erase(at);
  }
  for (const std::string& uri : stream->agreed().resource_uris) {
    if (const Result<ResourceUri> parsed = ResourceUri::parse(uri)) catalog_.unwatch(*parsed);
  }
}

// Streams are told without the table's lock: a peer that is gone may take its stream off the table meanwhile.
std::vector<std::shared_ptr<ListenStream>> Subscriptions::all() {
  const MutexLock lock(mutex_);
  std::vector<std::shared_ptr<ListenStream>> streams;
  streams.reserve(streams_.size());
  for (const auto& [call, entry] : streams_) streams.push_back(entry.stream);
  return streams;
}

void Subscriptions::list_changed(std::string_view list) {
  for (const auto& stream : all()) {
    const protocol::ListenParams& agreed = stream->agreed();
    const bool wanted = (list == "tools" && agreed.tools_changed) ||
                        (list == "prompts" && agreed.prompts_changed) ||
                        (list == "resources" && agreed.resources_changed);
    if (wanted) stream->deliver(protocol::list_changed_notification(list, stream->id_json()));
  }
}

void Subscriptions::resource_updated(const std::string& uri) {
  for (const auto& stream : all()) {
    if (stream->wants_uri(uri))
      stream->deliver(protocol::resource_updated_notification(uri, stream->id_json()));
  }
}

void Subscriptions::task_changed(const protocol::TaskState& task) {
  for (const auto& stream : all()) {
    if (!stream->wants_task(task.id.text())) continue;
    stream->deliver(protocol::notification_message(
        "notifications/tasks",
        protocol::task_notification_params(task, stream->id_json(), stream->call()->revision)));
  }
}

}  // namespace sluice::server

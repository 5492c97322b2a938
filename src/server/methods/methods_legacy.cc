#include <utility>

#include "sluice/protocol/wire/legacy.h"
#include "sluice/protocol/wire/params.h"

#include "call/share_limits.h"
#include "methods/methods.h"
#include "session/legacy_session.h"

namespace sluice::server {

Result<std::string> ping(Core& core, const std::shared_ptr<Call>& call) {
  return protocol::empty_result(core.style(*call));
}

Result<std::string> set_log_level(Core& core, const std::shared_ptr<Call>& call) {
  SLUICE_TRY(const protocol::LogLevel level, protocol::legacy::decode_set_level(call->params));
  call->session->set_log_level(level);
  return protocol::empty_result(core.style(*call));
}

Result<std::string> subscribe(Core& core, const std::shared_ptr<Call>& call) {
  SLUICE_TRY(const ResourceUri uri, protocol::decode_uri(call->params));
  SLUICE_CHECK(core.catalog->can_watch(uri));
  QuotaShare share(core.subscribed_bytes, call->share.owner);
  if (!share.grow(subscription_cost(uri.text()))) {
    return limit_reached("bytes of subscribed URIs", kSubscribedBytesMax)
        .with_code("too_many_subscriptions")
        .with_hint("One caller may use a part of them. Unsubscribe from URIs that you do not need any more.");
  }
  SLUICE_TRY(const bool added, call->session->subscribe(uri.text(), std::move(share)));
  if (added) core.catalog->watch(uri);
  return protocol::empty_result(core.style(*call));
}

Result<std::string> unsubscribe(Core& core, const std::shared_ptr<Call>& call) {
  SLUICE_TRY(const ResourceUri uri, protocol::decode_uri(call->params));
  if (call->session->unsubscribe(uri.text())) core.catalog->unwatch(uri);
  return protocol::empty_result(core.style(*call));
}

}  // namespace sluice::server

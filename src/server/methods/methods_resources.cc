#include <utility>

#include "sluice/protocol/wire/params.h"

#include "call/call_context.h"
#include "methods/methods.h"

namespace sluice::server {

Result<std::string> list_resources(Core& core, const std::shared_ptr<Call>& call) {
  SLUICE_TRY(const protocol::ListParams params, protocol::decode_list(call->params));
  core.catalog->settle(call->stop.get_token());
  SLUICE_TRY(const protocol::ListPage<protocol::Resource> page,
             core.catalog->resources(params.cursor, call->principal));
  return protocol::list_result(page, core.style(*call));
}

Result<std::string> list_templates(Core& core, const std::shared_ptr<Call>& call) {
  SLUICE_TRY(const protocol::ListParams params, protocol::decode_list(call->params));
  core.catalog->settle(call->stop.get_token());
  SLUICE_TRY(const protocol::ListPage<protocol::ResourceTemplate> page,
             core.catalog->templates(params.cursor, call->principal));
  return protocol::list_result(page, core.style(*call));
}

RunsOn resolve_resource(const Core& core, Call& call) {
  NamedResource& named = call.resource.emplace(
      NamedResource{.uri = protocol::decode_uri(call.params), .owner = nullptr, .contents = std::nullopt});
  if (named.uri) named.owner = core.catalog->find_owner(*named.uri);
  if (named.owner == nullptr) return RunsOn::kWorker;
  named.contents = named.owner->try_read_now(*named.uri, call.principal, core.options.budget);
  return named.contents ? RunsOn::kReceivingThread : named.owner->read_runs_on(*named.uri);
}

namespace {

// The message of an error that says that the read failed, and not only why.
Error failed_read(Error error) {
  constexpr std::string_view kFailed = "Failed to read resource: ";
  const bool is_reason = error.kind == ErrorKind::kUnsupported || error.kind == ErrorKind::kLimitReached;
  if (is_reason && !error.message.starts_with(kFailed)) error.message.insert(0, kFailed);
  return error;
}

}  // namespace

Result<std::string> read_resource(Core& core, const std::shared_ptr<Call>& call) {
  NamedResource& named = *call->resource;
  SLUICE_TRY(const ResourceUri uri, named.uri);
  // Since it was looked up, there may be other providers.
  if (named.owner == nullptr) named.owner = core.catalog->find_owner(uri);
  if (named.owner == nullptr) return protocol::resource_not_found(uri.text());
  SLUICE_TRY(const std::unique_ptr<CallContext> context, CallContext::create(core, call));
  Result<protocol::ReadResult> result =
      named.contents ? *std::move(named.contents) : named.owner->read(uri, *context);
  if (!result && result.error().kind == ErrorKind::kInputRequired) return context->input_required();
  if (!result) return failed_read(std::move(result).error());
  return protocol::read_result(*result, core.style(*call));
}

}  // namespace sluice::server

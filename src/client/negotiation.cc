#include "negotiation.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/log.h"
#include "sluice/base/text.h"

#include "failure.h"
#include "mirrored_headers.h"

namespace sluice::client {
namespace {

constexpr std::string_view kDiscover = "server/discover";
constexpr int kServerErrorStatus = 500;

bool offers_revision(const std::vector<std::string>& versions, protocol::Revision revision) {
  return std::find(versions.begin(), versions.end(), protocol::to_string(revision)) != versions.end();
}

bool has_legacy(const std::vector<std::string>& versions) {
  return std::any_of(versions.begin(), versions.end(), [](const std::string& version) {
    const std::optional<protocol::Revision> known = protocol::parse_revision(version);
    return known && !protocol::is_modern(*known);
  });
}

ServerInfo info_of(const protocol::Introduction& introduction, protocol::Revision revision) {
  return {.revision = revision,
          .implementation = introduction.implementation,
          .instructions = introduction.instructions,
          .capabilities = introduction.capabilities};
}

}  // namespace

Result<Agreed> Negotiation::run() {
  if (parts_.eras != Eras::kLegacy) {
    SLUICE_TRY(std::optional<Agreed> modern, probe());
    if (modern) return *std::move(modern);
    if (parts_.eras == Eras::kModern)
      return unsupported("connect: the server does not speak the modern protocol")
          .with_code("version_mismatch");
  }
  Result<Agreed> handshake = initialize();
  // It was slow to start, not old: now that it is awake it can be asked again.
  if (!handshake && was_silent_ && refused_as_modern_) {
    SLUICE_TRY(std::optional<Agreed> modern, probe());
    if (modern) return *std::move(modern);
  }
  SLUICE_TRY(Agreed agreed, std::move(handshake));
  if (const Status asked = request_logs(agreed); !asked.ok())
    log::warning("client.no_server_logs", {{"reason", asked.error().message}});
  return agreed;
}

Error Negotiation::no_common_version(const std::vector<std::string>& versions) const {
  std::string list;
  for (const std::string& version : versions) {
    if (list.size() > 200) break;
    list += (list.empty() ? "" : ", ") + excerpt(version, 20);
  }
  return unsupported(fmt::format("connect: the server speaks other versions of the protocol: {}", list))
      .with_code("version_mismatch");
}

Result<Reply> Negotiation::send_probe() {
  const protocol::ClientStyle style = protocol::client_style(parts_.options.info, parts_.capabilities,
                                                             parts_.options.log_level, protocol::kNewest);
  Outgoing outgoing;
  outgoing.id = parts_.next_id++;
  outgoing.method = kDiscover;
  const protocol::RequestId id{outgoing.id};
  outgoing.text = protocol::client_request({.id = id, .method = kDiscover, .params = {}, .meta = {}}, style);
  outgoing.headers = mirrored_headers(protocol::kNewest, kDiscover, {}, nullptr);
  outgoing.deadline = parts_.deadline;
  if (!parts_.link.is_http())
    outgoing.deadline =
        std::min(outgoing.deadline, parts_.options.clock->now() + parts_.options.probe_timeout);
  outgoing.stop = parts_.stop;
  return parts_.link.request(outgoing);
}

Result<std::optional<Agreed>> Negotiation::probe() {
  bool try_again = true;
  while (true) {
    const Result<Reply> reply = send_probe();
    if (!reply) {
      died_of_probe_ = parts_.link.gone().stop_requested() && !parts_.stop.stop_requested();
      const bool is_silent = reply.error().kind == ErrorKind::kDeadline && !parts_.link.is_http() &&
                             parts_.options.clock->now() < parts_.deadline;
      if (is_silent) {
        was_silent_ = true;
        return std::optional<Agreed>{};
      }
      return reply.error();
    }
    switch (reply->kind) {
      case Reply::Kind::kResult: {
        const Result<protocol::Introduction> introduction = protocol::decode_discover(reply->result);
        if (!introduction) return std::optional<Agreed>{};  // A server that says yes to everything.
        return agree(*introduction);
      }
      case Reply::Kind::kError: {
        if (!protocol::is_modern_error(reply->code)) return std::optional<Agreed>{};
        bool again = false;
        SLUICE_TRY(std::optional<Agreed> other, choose_other(*reply, again));
        if (!again) return other;
        if (!std::exchange(try_again, false)) return failure_of(kDiscover, *reply);
        continue;
      }
      case Reply::Kind::kStatus:
        if (reply->status >= kServerErrorStatus) return failure_of(kDiscover, *reply);
        return std::optional<Agreed>{};
      case Reply::Kind::kSessionGone:
        return failure_of(kDiscover, *reply);
    }
  }
}

Result<std::optional<Agreed>> Negotiation::agree(const protocol::Introduction& introduction) {
  if (!offers_revision(introduction.versions, protocol::kNewest)) {
    if (has_legacy(introduction.versions)) return std::optional<Agreed>{};
    return no_common_version(introduction.versions);
  }
  Agreed agreed{.info = info_of(introduction, protocol::kNewest),
                .style = protocol::client_style(parts_.options.info, parts_.capabilities,
                                                parts_.options.log_level, protocol::kNewest)};
  return std::optional<Agreed>(std::move(agreed));
}

// The server is modern and does not take this request: with a version that both know it may.
Result<std::optional<Agreed>> Negotiation::choose_other(const Reply& reply, bool& try_again) {
  if (reply.code != protocol::kUnsupportedVersionCode) return failure_of(kDiscover, reply);
  const std::vector<std::string> versions =
      protocol::decode_supported_versions(reply.data.value_or(json::Value()));
  try_again = offers_revision(versions, protocol::kNewest);
  if (try_again || has_legacy(versions)) return std::optional<Agreed>{};
  return no_common_version(versions);
}

Result<Agreed> Negotiation::initialize() {
  constexpr std::string_view kMethod = "initialize";
  Agreed agreed;
  agreed.style = protocol::client_style(parts_.options.info, parts_.capabilities, parts_.options.log_level,
                                        protocol::kNewestLegacy);
  Outgoing outgoing;
  outgoing.id = parts_.next_id++;
  outgoing.method = kMethod;
  outgoing.text = protocol::request_message(protocol::RequestId{outgoing.id}, kMethod,
                                            protocol::initialize_params(agreed.style));
  outgoing.deadline = parts_.deadline;
  outgoing.stop = parts_.stop;
  SLUICE_TRY(const Reply reply, parts_.link.request(outgoing));
  refused_as_modern_ = reply.kind == Reply::Kind::kError && protocol::is_modern_error(reply.code);
  if (reply.kind != Reply::Kind::kResult) return failure_of(kMethod, reply);
  const Result<protocol::Introduction> introduction = protocol::decode_initialize_result(reply.result);
  if (!introduction) return invalid_result(kMethod, introduction.error());
  const std::optional<protocol::Revision> chosen = protocol::parse_revision(introduction->versions.front());
  if (!chosen || protocol::is_modern(*chosen)) return no_common_version(introduction->versions);
  agreed.info = info_of(*introduction, *chosen);
  agreed.style.revision = *chosen;
  parts_.link.adopt(mirrored_headers(*chosen, "", {}, nullptr));
  SLUICE_CHECK(
      parts_.link.send(protocol::notification_message("notifications/initialized", ""), {}, parts_.stop));
  return agreed;
}

Status Negotiation::request_logs(const Agreed& agreed) {
  if (!parts_.options.log_level || !agreed.info.has("logging")) return {};
  constexpr std::string_view kMethod = "logging/setLevel";
  Outgoing outgoing;
  outgoing.id = parts_.next_id++;
  outgoing.method = kMethod;
  const protocol::RequestId id{outgoing.id};
  const json::Object params{{"level", protocol::to_string(*parts_.options.log_level)}};
  outgoing.text =
      protocol::client_request({.id = id, .method = kMethod, .params = params, .meta = {}}, agreed.style);
  outgoing.deadline = parts_.deadline;
  outgoing.stop = parts_.stop;
  SLUICE_TRY(const Reply reply, parts_.link.request(outgoing));
  if (reply.kind != Reply::Kind::kResult) return failure_of(kMethod, reply);
  return {};
}

}  // namespace sluice::client

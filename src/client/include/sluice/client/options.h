#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "sluice/base/clock.h"
#include "sluice/base/limits.h"
#include "sluice/base/result.h"
#include "sluice/base/version.h"
#include "sluice/json/value.h"
#include "sluice/protocol/model/annotations.h"
#include "sluice/protocol/model/ask.h"
#include "sluice/protocol/model/log_level.h"
#include "sluice/protocol/wire/notifications.h"

namespace sluice::client {

// Answers a question of the server: a form, a page to visit, a completion, the roots. It may block, up to the
// stop token. Defaults of a form's schema are filled in where an accepted answer leaves them out. An error
// ends the call that asked with that very error.
using Ask = std::function<Result<protocol::Answer>(const protocol::Question& question, std::stop_token stop)>;

using OnProgress = std::function<void(const protocol::Progress& progress)>;

struct LogMessage {
  protocol::LogLevel level = protocol::LogLevel::kInfo;
  std::string logger;
  json::Value data;
};
using OnLog = std::function<void(const LogMessage& message)>;

enum class ListKind : std::uint8_t { kTools, kPrompts, kResources };  // Templates change with resources.

enum class Eras : std::uint8_t { kBoth, kModern, kLegacy };

struct ClientOptions {
  protocol::Implementation info{.name = "sluice", .version = std::string(product_version())};
  // What the server may ask. Announced only where `ask` can answer it. The tasks extension is announced
  // beside `capabilities.extensions` unless `tasks` is false.
  protocol::ClientCapabilities capabilities;
  bool tasks = true;
  Ask ask;

  // On one thread of the client's own, in order, never within a call: they may call the client. Changes that
  // wait are told once.
  std::function<void(ListKind)> on_list_changed;
  std::function<void(const std::string& uri)> on_resource_updated;
  OnLog on_log;
  std::optional<protocol::LogLevel> log_level;  // Wanted of the server; nothing: no log messages.

  Eras eras = Eras::kBoth;
  std::chrono::milliseconds timeout = kClientTimeout;                 // Of one call, where it sets none.
  std::chrono::milliseconds connect_timeout = kClientConnectTimeout;  // From nothing to the first call.
  // How long a silent server on a pipe is taken for one that does not know the modern era.
  std::chrono::milliseconds probe_timeout = kClientProbeTimeout;
  std::size_t message_bytes_max = kClientMessageBytesMax;  // Of one message of the server.
  std::size_t list_items_max = kClientListItemsMax;        // Of one list, all pages together.
  bool cache_lists = true;                                 // For as long as the server's ttlMs allows.
  const Clock* clock = &system_clock();                    // Must outlive the client.
};

struct CallOptions {
  std::stop_token stop;  // A stop cancels the call, and tells the server so.
  std::optional<std::chrono::milliseconds> timeout;
  json::Object meta;       // Goes into `_meta`: trace context and the like. Keys of the protocol are ignored.
  OnProgress on_progress;  // On the thread that calls. Set: progress is asked for.
  Ask ask;                 // Before ClientOptions::ask, for what this call makes the server ask.
  OnLog on_log;            // Before ClientOptions::on_log, for messages that surely belong to this call.
};

}  // namespace sluice::client

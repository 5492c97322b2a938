#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/engine/database.h"

namespace sluice::engine {

// What to do with a role that can read or write files of the server, or run programs there.
enum class PowerfulRoles : std::uint8_t { kRefuse, kWarn, kAllow };

struct PostgresOptions {
  // postgres://user:password@host:port/database?sslmode=verify-full&sslrootcert=…, or "host=… user=…". What
  // it leaves out has libpq's own default; the environment and files of the home folder have no say. (libpq
  // passes on PGTZ, PGDATESTYLE and PGGEQO whatever it is given; the session sets the first two again. Where
  // PGSERVICE names a service that does not exist, it does not connect.)
  std::string url;
  std::vector<std::string> search_path;  // Empty: names without a schema are those of pg_catalog alone.
  PowerfulRoles powerful_roles = PowerfulRoles::kRefuse;
  std::size_t connections_max = 8;
  std::string name = "sluice";  // What the server's operator sees in pg_stat_activity.
};

// Does not connect yet, so that a server that is down at the start may come up later. Fails where `url` is
// none.
Result<std::unique_ptr<Database>> open_postgres(const PostgresOptions& options);

struct Notification {
  std::string payload;
  bool may_have_missed = false;  // The connection is new, for the first time or again: look at everything.
};

// Listens while it lives, on a connection and a thread of its own, and connects again when it is lost.
class Listener {
 public:
  virtual ~Listener() = default;
};

// `on_notification` is called on the listener's thread and must not throw.
Result<std::unique_ptr<Listener>> listen_postgres(const PostgresOptions& options, const std::string& channel,
                                                  std::function<void(const Notification&)> on_notification);

}  // namespace sluice::engine

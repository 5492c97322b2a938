#include "connection/session.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <utility>

#include "sluice/base/limits.h"
#include "sluice/base/log.h"
#include "sluice/engine/bounded_pool.h"
#include "sluice/engine/postgres.h"

#include "connection/errors.h"

namespace sluice::engine::postgres {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kConnectTime{5'000};
constexpr milliseconds kStatementTime{600'000};  // Where the caller has no deadline.
// Of the session: what has about so much time left need not say how much. Our own deadline ends it before;
// this is for a program that cannot do that any more.
constexpr milliseconds kUsualTime = kRequestTimeout;
constexpr milliseconds kUsualSlack{5'000};
constexpr milliseconds kLockTime{5'000};
constexpr milliseconds kServerGrace{100};  // So that our own deadline comes first, and is told.
constexpr int kServerVersionMin = 120'000;

struct Setting {
  std::string_view name;
  std::string_view value;
};

// Those of texts are what values.cc reads.
constexpr std::array kSettings = {
    Setting{"default_transaction_read_only", "on"},
    Setting{"idle_in_transaction_session_timeout", "60000"},
    Setting{"DateStyle", "ISO"},
    Setting{"IntervalStyle", "iso_8601"},
    Setting{"TimeZone", "UTC"},
    Setting{"bytea_output", "hex"},
    Setting{"extra_float_digits", "1"},
    Setting{"standard_conforming_strings", "on"},
    Setting{"synchronize_seqscans", "off"},
    Setting{"xmlbinary", "base64"},
    Setting{"row_security", "on"},
};

std::string search_path(const std::vector<std::string>& schemas) {
  std::string out = "pg_catalog";
  for (const std::string& schema : schemas) out += ", " + quote_name(schema);
  return out + ", pg_temp";  // Last, where nothing hides what is before it.
}

Status set_up(Link& link, const PostgresOptions& options, const Waiter& waiter) {
  Statement statement{.sql = "SELECT ", .parameters = {}};
  const auto add = [&](std::string_view name, std::string value) {
    if (!statement.parameters.empty()) statement.sql += ", ";
    statement.parameters.emplace_back(std::move(value));
    statement.sql += "pg_catalog.set_config(" + quote_text(name) + ", $" +
                     std::to_string(statement.parameters.size()) + ", false)";
  };
  for (const Setting& setting : kSettings) add(setting.name, std::string(setting.value));
  add("search_path", search_path(options.search_path));
  add("statement_timeout", std::to_string((kUsualTime + kServerGrace).count()));
  add("lock_timeout", std::to_string((kLockTime + kServerGrace).count()));
  SLUICE_CHECK(link.send(statement));
  SLUICE_CHECK(link.sync(waiter));
  SLUICE_TRY(const Answer answer, link.receive_whole(waiter));
  return link.settle(waiter);
}

Status check_role(Link& link, const PostgresOptions& options, const Waiter& waiter) {
  if (options.powerful_roles == PowerfulRoles::kAllow) return {};
  SLUICE_TRY(const DatabaseHealth health, look_at_session(link, waiter));
  if (health.powers.empty()) return {};
  if (options.powerful_roles == PowerfulRoles::kWarn) {
    log::warning("database_role_is_powerful", {{"name", options.name}, {"power", health.powers.front()}});
    return {};
  }
  return forbidden("connect to database: its role can do more than read tables: " + health.powers.front())
      .with_code("powerful_role")
      .with_hint(
          "Connect as a role that is no superuser and in none of pg_read_server_files, "
          "pg_write_server_files and pg_execute_server_program.");
}

std::string milliseconds_left(Monotonic deadline, milliseconds time_max) {
  if (deadline != Monotonic::max()) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - system_clock().now());
    time_max = std::clamp(left, milliseconds(1), time_max);
  }
  return std::to_string((time_max + kServerGrace).count());
}

// For the transaction that runs.
Status send_times(Link& link, Monotonic deadline) {
  return link.send(
      {"SELECT pg_catalog.set_config('statement_timeout', $1, true), "
       "pg_catalog.set_config('lock_timeout', $2, true)",
       {milliseconds_left(deadline, kStatementTime), milliseconds_left(deadline, kLockTime)}});
}

// A connection may wait in its transaction for as long as the other reads of its statement take.
Status send_times_of_moment(Link& link, Monotonic deadline) {
  return link.send(
      {"SELECT pg_catalog.set_config('statement_timeout', $1, true), "
       "pg_catalog.set_config('lock_timeout', $2, true), "
       "pg_catalog.set_config('idle_in_transaction_session_timeout', $1, true)",
       {milliseconds_left(deadline, kStatementTime), milliseconds_left(deadline, kLockTime)}});
}

bool has_usual_time(Monotonic deadline) {
  if (deadline == Monotonic::max()) return false;
  const auto left = deadline - system_clock().now();
  return left > kUsualTime - kUsualSlack && left <= kUsualTime;
}

constexpr const char* kBeginMoment = "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY";

// What comes before the statement. Returns the number of its answers.
Result<int> send_begin(Link& link, const Sending& sending, Monotonic deadline) {
  switch (sending.moment) {
    case Moment::kOwn:
      SLUICE_CHECK(link.send({"BEGIN TRANSACTION READ ONLY", {}}));
      if (has_usual_time(deadline)) return 1;
      SLUICE_CHECK(send_times(link, deadline));
      return 2;
    case Moment::kImported:
      SLUICE_CHECK(link.send({kBeginMoment, {}}));
      SLUICE_CHECK(link.send({"SET TRANSACTION SNAPSHOT " + quote_text(sending.snapshot), {}}));
      SLUICE_CHECK(send_times_of_moment(link, deadline));
      return 3;
    case Moment::kJoined:
      SLUICE_CHECK(send_times_of_moment(link, deadline));
      return 1;
  }
  return internal_error("begin a transaction");
}

}  // namespace

Result<std::unique_ptr<Link>> open_session(const std::string& connection_text, const PostgresOptions& options,
                                           const RunLimits& limits) {
  RunLimits short_limits = limits;
  short_limits.deadline = std::min(limits.deadline, system_clock().now() + kConnectTime);
  SLUICE_TRY(const Waiter waiter, Waiter::make(short_limits));
  const auto open = [&]() -> Result<std::unique_ptr<Link>> {
    SLUICE_TRY(std::unique_ptr<Link> link, Link::connect(connection_text, waiter));
    if (PQserverVersion(link->get()) < kServerVersionMin) {
      return unsupported("connect to database: its server is older than PostgreSQL 12");
    }
    SLUICE_CHECK(set_up(*link, options, waiter));
    SLUICE_CHECK(check_role(*link, options, waiter));
    return link;
  };
  Result<std::unique_ptr<Link>> link = open();
  // It was the server that took too long, where the caller has time left.
  if (!link.ok() && link.error().kind == ErrorKind::kDeadline && check_limits(limits).ok()) {
    return no_connection();
  }
  return link;
}

Result<DatabaseHealth> look_at_session(Link& link, const Waiter& waiter) {
  SLUICE_CHECK(
      link.send({"SELECT current_user, current_setting('server_version'), current_setting('is_superuser'), "
                 "coalesce((SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = session_user), false), "
                 "current_setting('default_transaction_read_only')",
                 {}}));
  SLUICE_CHECK(
      link.send({"SELECT rolname FROM pg_catalog.pg_roles WHERE rolname IN ('pg_read_server_files', "
                 "'pg_write_server_files', 'pg_execute_server_program') AND "
                 "pg_catalog.pg_has_role(session_user, oid, 'MEMBER') ORDER BY rolname",
                 {}}));
  SLUICE_CHECK(link.sync(waiter));
  SLUICE_TRY(const Answer session, link.receive_whole(waiter));
  SLUICE_TRY(const Answer roles, link.receive_whole(waiter));
  SLUICE_CHECK(link.settle(waiter));
  const auto text = [&](int column) { return std::string_view(PQgetvalue(session.get(), 0, column)); };
  if (PQntuples(session.get()) != 1) return internal_error("look at the role of a database");
  DatabaseHealth health;
  health.role = text(0);
  health.product = "PostgreSQL " + std::string(text(1).substr(0, text(1).find(' ')));
  health.read_only = text(4) == "on";
  const bool is_superuser = text(2) == "on" || text(3) == "t";
  if (is_superuser) health.powers.emplace_back("superuser");
  for (int row = 0; !is_superuser && row < PQntuples(roles.get()); ++row) {
    health.powers.emplace_back(PQgetvalue(roles.get(), row, 0));
  }
  return health;
}

Status send_select(Link& link, const Statement& statement, const Sending& sending, const Waiter& waiter) {
  const Monotonic deadline = waiter.limits().deadline;
  // Once its first query has begun, which may be the statement itself, nothing can make it READ WRITE.
  SLUICE_TRY(int answers, send_begin(link, sending, deadline));
  if (!link.has_passed(statement.sql)) {
    SLUICE_CHECK(
        link.send_parse({"DECLARE sluice NO SCROLL CURSOR FOR " + statement.sql, statement.parameters}));
    ++answers;
  }
  link.set_answers_before(answers);
  if (sending.purpose == Purpose::kExplain) {
    SLUICE_CHECK(link.send({"EXPLAIN (FORMAT JSON) " + statement.sql, statement.parameters}));
  } else {
    SLUICE_CHECK(link.send(statement));
  }
  // Behind a statement that failed, the server runs neither.
  if (sending.moment == Moment::kOwn) SLUICE_CHECK(link.send_leave());
  return link.sync(waiter);
}

Status receive_begin(Link& link, const Statement& statement, const Waiter& waiter) {
  for (int i = 0; i < link.answers_before(); ++i) {
    SLUICE_TRY(const Answer answer, link.receive_whole(waiter));
  }
  link.note_passed(statement.sql);
  return {};
}

Result<std::string> export_snapshot(Link& link, const Waiter& waiter) {
  SLUICE_CHECK(link.send({kBeginMoment, {}}));
  SLUICE_CHECK(send_times_of_moment(link, waiter.limits().deadline));
  SLUICE_CHECK(link.send({"SELECT pg_catalog.pg_export_snapshot()", {}}));
  SLUICE_CHECK(link.sync(waiter));
  for (int i = 0; i < 2; ++i) {
    SLUICE_TRY(const Answer answer, link.receive_whole(waiter));
  }
  SLUICE_TRY(const Answer exported, link.receive_whole(waiter));
  SLUICE_CHECK(link.settle(waiter));
  if (PQntuples(exported.get()) != 1) return internal_error("export the snapshot of a transaction");
  return std::string(PQgetvalue(exported.get(), 0, 0));
}

}  // namespace sluice::engine::postgres

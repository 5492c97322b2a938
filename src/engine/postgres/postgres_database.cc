#include <algorithm>
#include <string>
#include <utility>

#include "sluice/engine/bounded_pool.h"
#include "sluice/engine/database.h"
#include "sluice/engine/postgres.h"
#include "sluice/engine/type_memory.h"

#include "connection/connection_text.h"
#include "connection/errors.h"
#include "connection/function_fence.h"
#include "connection/gate.h"
#include "connection/reaper.h"
#include "connection/session.h"
#include "connection/statement_connections.h"
#include "rows.h"
#include "tables/layout.h"
#include "tables/plan.h"

namespace sluice::engine {

namespace postgres {

namespace {

bool is_lost(const Error& error) { return error.code == "database_unavailable"; }

class PostgresDatabase final : public Database {
 public:
  PostgresDatabase(const PostgresOptions& options, std::string connection_text)
      : options_(options),
        connection_text_(std::move(connection_text)),
        pool_(std::max<std::size_t>(1, options.connections_max)) {}

  Dialect dialect() const override { return Dialect::kPostgres; }

  Result<std::vector<TableSummary>> tables(const RunLimits& limits) override {
    return list_tables(asking(), limits);
  }

  Result<TableLayout> describe(const TableName& table, const RunLimits& limits) override {
    return describe_table(asking(), memory_, table, limits);
  }

  Result<std::unique_ptr<Rows>> query(const Select& select, const RunLimits& limits,
                                      std::shared_ptr<Reservation> reservation) override {
    SLUICE_CHECK(check_functions(select.statement.sql));
    const auto connections = std::static_pointer_cast<StatementConnections>(reservation);
    if (connections && connections->needs_one_moment()) return query_moment(select, limits, connections);
    return on_link<std::unique_ptr<Rows>>(
        limits, [&](Lease lease) { return start_rows(std::move(lease), reaper_, memory_, select, limits); },
        connections ? connections->group() : nullptr);
  }

  // The server's operator allows so many connections and no more: a statement with more reads gets one, which
  // serves them one after the other.
  Result<std::shared_ptr<Reservation>> reserve(std::size_t reads, const RunLimits& limits) override {
    SLUICE_TRY(std::shared_ptr<Group> group, pool_.reserve(connections_for(reads), limits));
    return std::shared_ptr<Reservation>(
        std::make_shared<StatementConnections>(pool_, std::move(group), reads));
  }

  std::shared_ptr<Reservation> try_reserve(std::size_t reads) override {
    std::shared_ptr<Group> group = pool_.try_reserve(connections_for(reads));
    if (!group) return nullptr;
    return std::make_shared<StatementConnections>(pool_, std::move(group), reads);
  }

  Result<std::vector<Field>> columns(const Statement& /*statement*/, const RunLimits& /*limits*/) override {
    return unsupported("PostgreSQL makes JSON of rows itself");
  }

  Result<PlanGuess> explain(const Statement& statement, const RunLimits& limits) override {
    SLUICE_CHECK(check_functions(statement.sql));
    SLUICE_TRY(const Answer answer, run_whole(statement, Purpose::kExplain, limits));
    return guess_of(answer.get());
  }

  Result<std::string> version(const RunLimits& /*limits*/) override { return std::string(); }

  Result<DatabaseHealth> check(const RunLimits& limits) override {
    return on_link<DatabaseHealth>(limits, [&](Lease lease) -> Result<DatabaseHealth> {
      SLUICE_TRY(const Waiter waiter, Waiter::make(limits));
      Result<DatabaseHealth> health = look_at_session(*lease.item, waiter);
      if (!health.ok()) lease.item.reset();
      return health;
    });
  }

 private:
  using Group = BoundedPool<Link>::Group;

  std::size_t connections_for(std::size_t reads) const { return reads > pool_.items_max() ? 1 : reads; }

  // A query that sees what the other queries of its statement see.
  Result<std::unique_ptr<Rows>> query_moment(const Select& select, const RunLimits& limits,
                                             const std::shared_ptr<StatementConnections>& connections) {
    SLUICE_TRY(std::string snapshot,
               connections->snapshot([&] { return export_moment(limits, connections->group()); }));
    RowsMoment moment{.moment = Moment::kJoined, .snapshot = std::move(snapshot), .connections = connections};
    if (std::unique_ptr<Link> link = connections->take_idle()) {
      SLUICE_TRY(Lease lease, pool_.take(limits, connections->group()));
      if (lease.item) pool_.add_idle(std::move(lease.item));
      lease.item = std::move(link);
      SLUICE_CHECK(lease.item->settle(limits));
      return start_rows(std::move(lease), reaper_, memory_, select, limits, moment);
    }
    moment.moment = Moment::kImported;
    return on_link<std::unique_ptr<Rows>>(
        limits,
        [&](Lease lease) { return start_rows(std::move(lease), reaper_, memory_, select, limits, moment); },
        connections->group());
  }

  Result<StatementConnections::Exported> export_moment(const RunLimits& limits,
                                                       const std::shared_ptr<Group>& group) {
    return on_link<StatementConnections::Exported>(
        limits,
        [&](Lease lease) -> Result<StatementConnections::Exported> {
          SLUICE_TRY(const Waiter waiter, Waiter::make(limits));
          Result<std::string> id = export_snapshot(*lease.item, waiter);
          if (id.ok())
            return StatementConnections::Exported{.id = *std::move(id), .link = std::move(lease.item)};
          if (!lease.item->is_alive()) {
            lease.item.reset();
          } else {
            reaper_.take(std::move(lease));
          }
          return std::move(id).error();
        },
        group);
  }

  struct Taken {
    Lease lease;
    bool is_new = false;
  };

  // A connection that is there and outside of a transaction.
  Result<Taken> take(const RunLimits& limits, const std::shared_ptr<Group>& group) {
    SLUICE_TRY(Lease lease, pool_.take(limits, group));
    if (lease.item) {
      const bool is_clean =
          lease.item->is_alive() && lease.item->settle(limits).ok() && lease.item->is_idle();
      if (is_clean) return Taken{.lease = std::move(lease), .is_new = false};
      lease.item.reset();
      SLUICE_CHECK(check_limits(limits));
    }
    if (!gate_.is_open()) return no_connection();
    Result<std::unique_ptr<Link>> link = open_session(connection_text_, options_, limits);
    if (!link.ok()) {
      // Who leaves early says nothing about the server.
      if (check_limits(limits).ok()) gate_.note_failure();
      return std::move(link).error();
    }
    gate_.note_success();
    lease.item = *std::move(link);
    return Taken{.lease = std::move(lease), .is_new = true};
  }

  // A connection that was idle may turn out to be gone when it is used: then once more, with a new one.
  template <typename T, typename Use>
  Result<T> on_link(const RunLimits& limits, const Use& use, const std::shared_ptr<Group>& group = nullptr) {
    {
      SLUICE_TRY(Taken taken, take(limits, group));
      Result<T> result = use(std::move(taken.lease));
      if (result.ok() || taken.is_new || !is_lost(result.error())) return result;
    }
    pool_.drop_idle();
    SLUICE_TRY(Taken taken, take(limits, group));
    return use(std::move(taken.lease));
  }

  Result<Answer> run_whole(const Statement& statement, Purpose purpose, const RunLimits& limits) {
    return on_link<Answer>(limits, [&](Lease lease) -> Result<Answer> {
      SLUICE_TRY(const Waiter waiter, Waiter::make(limits));
      Link& link = *lease.item;
      const auto run = [&]() -> Result<Answer> {
        SLUICE_CHECK(
            send_select(link, statement, {.purpose = purpose, .moment = {}, .snapshot = {}}, waiter));
        SLUICE_CHECK(receive_begin(link, statement, waiter));
        return link.receive_whole(waiter);
      };
      Result<Answer> answer = run();
      if (!link.is_alive()) {
        lease.item.reset();
      } else if (!answer.ok()) {
        reaper_.take(std::move(lease));
      }
      return answer;
    });
  }

  Ask asking() {
    return [this](const Statement& statement, const RunLimits& limits) {
      return run_whole(statement, Purpose::kRun, limits);
    };
  }

  const PostgresOptions options_;
  const std::string connection_text_;
  TypeMemory memory_;
  Gate gate_;
  BoundedPool<Link> pool_;
  Reaper reaper_;  // Last: what it still has goes back to the pool.
};

}  // namespace

}  // namespace postgres

Result<std::unique_ptr<Database>> open_postgres(const PostgresOptions& options) {
  SLUICE_TRY(std::string text, postgres::connection_text(options));
  return std::unique_ptr<Database>(std::make_unique<postgres::PostgresDatabase>(options, std::move(text)));
}

}  // namespace sluice::engine

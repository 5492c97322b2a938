#pragma once

#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <libpq-fe.h>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"

#include "connection/waiter.h"

namespace sluice::engine::postgres {

struct FinishConnection {
  void operator()(PGconn* handle) const noexcept { PQfinish(handle); }
};
struct ClearResult {
  void operator()(PGresult* handle) const noexcept { PQclear(handle); }
};
using Connection = std::unique_ptr<PGconn, FinishConnection>;
using Answer = std::unique_ptr<PGresult, ClearResult>;

// One connection in pipeline mode: everything goes by the extended protocol, one statement a message, and
// what is sent up to sync() is run until the first that fails. One thread at a time.
class Link {
 public:
  static Result<std::unique_ptr<Link>> connect(const std::string& connection_text, const Waiter& waiter);

  Status send(const Statement& statement);
  // Has the server parse and analyse the statement, and no more.
  Status send_parse(const Statement& statement);
  Status sync(const Waiter& waiter);  // What was sent goes out.

  // The next answer; null behind the last one of a statement.
  Result<Answer> receive(const Waiter& waiter);
  // The answer of a statement without many rows; fails where the server says so.
  Result<Answer> receive_whole(const Waiter& waiter);
  // The rows of the statement whose answers come next arrive one by one.
  Status stream_rows();
  // Drops all that is still to come of what was sent.
  Status settle(const Waiter& waiter);
  Status settle(const RunLimits& limits);  // Mostly there is nothing to wait for, nor to wait with.
  // Sends the end of the transaction, to go out with what was sent before it.
  Status send_leave();
  // Ends the transaction without waiting for it: settle() does.
  void leave_transaction();

  // Texts that the server has found to be a SELECT; the latest ones.
  bool has_passed(const std::string& sql) const { return passed_.contains(sql); }
  // How many answers come before that of the statement that was sent last.
  void set_answers_before(int count) { answers_before_ = count; }
  int answers_before() const { return answers_before_; }
  void note_passed(const std::string& sql);

  // Asks the server to end what runs, by another connection. Takes a while.
  void cancel();
  bool is_idle() const;   // Outside of a transaction, nothing to come.
  bool is_alive() const;  // As far as is known without asking.
  PGconn* get() const { return connection_.get(); }

 private:
  explicit Link(Connection connection) : connection_(std::move(connection)) {}
  Status flush(const Waiter& waiter);

  Connection connection_;
  std::size_t syncs_ = 0;  // Sent, and not yet answered.
  int answers_before_ = 0;
  std::set<std::string> passed_;
};

}  // namespace sluice::engine::postgres

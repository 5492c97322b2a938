#include "connection/link.h"

#include <poll.h>

#include <array>
#include <utility>

#include "connection/errors.h"
#include "connection/parameters.h"

namespace sluice::engine::postgres {

namespace {

constexpr std::size_t kStatementBytesMax = std::size_t{1} * 1024 * 1024;
constexpr std::size_t kParametersMax = 32'767;
constexpr std::size_t kPassedMax = 64;

struct FreeCancel {
  void operator()(PGcancel* handle) const noexcept { PQfreeCancel(handle); }
};

bool is_failure(const PGresult* result) {
  const ExecStatusType status = PQresultStatus(result);
  return status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE || status == PGRES_PIPELINE_ABORTED;
}

Status check_statement(const Statement& statement) {
  // libpq reads up to the first NUL; what stands behind it would be ignored in silence.
  if (statement.sql.find('\0') != std::string::npos) {
    return invalid_input("a statement cannot hold the character U+0000").with_code("invalid_query");
  }
  if (statement.sql.size() > kStatementBytesMax)
    return limit_reached("bytes of a statement", kStatementBytesMax);
  if (statement.parameters.size() > kParametersMax)
    return limit_reached("values of a statement", kParametersMax);
  return {};
}

}  // namespace

Result<std::unique_ptr<Link>> Link::connect(const std::string& connection_text, const Waiter& waiter) {
  Connection connection(PQconnectStart(connection_text.c_str()));
  if (!connection || PQstatus(connection.get()) == CONNECTION_BAD) return no_connection();
  // Warnings of the server go nowhere: standard error is the log.
  PQsetNoticeProcessor(
      connection.get(), [](void*, const char*) {}, nullptr);
  PostgresPollingStatusType status = PGRES_POLLING_WRITING;
  while (status != PGRES_POLLING_OK) {
    if (status == PGRES_POLLING_FAILED) return no_connection();
    // It may be another one after every step: one address after the other is tried.
    SLUICE_CHECK(waiter.wait(PQsocket(connection.get()), status == PGRES_POLLING_READING ? POLLIN : POLLOUT));
    status = PQconnectPoll(connection.get());
  }
  if (PQsetnonblocking(connection.get(), 1) != 0 || PQenterPipelineMode(connection.get()) != 1) {
    return no_connection();
  }
  return std::unique_ptr<Link>(new Link(std::move(connection)));
}

Status Link::send(const Statement& statement) {
  SLUICE_CHECK(check_statement(statement));
  SLUICE_TRY(const Values values, values_of(statement.parameters));
  if (PQsendQueryParams(get(), statement.sql.c_str(), static_cast<int>(values.types.size()),
                        values.types.data(), values.pointers.data(), nullptr, nullptr, 0) != 1) {
    return no_connection();
  }
  return {};
}

Status Link::send_parse(const Statement& statement) {
  SLUICE_CHECK(check_statement(statement));
  SLUICE_TRY(const Values values, values_of(statement.parameters));
  if (PQsendPrepare(get(), "", statement.sql.c_str(), static_cast<int>(values.types.size()),
                    values.types.data()) != 1) {
    return no_connection();
  }
  return {};
}

Status Link::sync(const Waiter& waiter) {
  if (PQpipelineSync(get()) != 1) return no_connection();
  ++syncs_;
  return flush(waiter);
}

Status Link::flush(const Waiter& waiter) {
  while (true) {
    const int left = PQflush(get());
    if (left == 0) return {};
    if (left < 0) return no_connection();
    // The server may have to be read before it reads on.
    SLUICE_CHECK(waiter.wait(PQsocket(get()), POLLIN | POLLOUT));
    if (PQconsumeInput(get()) != 1) return no_connection();
  }
}

Result<Answer> Link::receive(const Waiter& waiter) {
  while (PQisBusy(get()) == 1) {
    SLUICE_CHECK(waiter.wait(PQsocket(get()), POLLIN));
    if (PQconsumeInput(get()) != 1) return no_connection();
  }
  Answer answer(PQgetResult(get()));
  if (answer && PQresultStatus(answer.get()) == PGRES_PIPELINE_SYNC) --syncs_;
  // A connection that was lost answers once, and with nothing from then on.
  if (!answer && PQstatus(get()) != CONNECTION_OK) return no_connection();
  return answer;
}

Result<Answer> Link::receive_whole(const Waiter& waiter) {
  Answer first;
  while (true) {
    SLUICE_TRY(Answer answer, receive(waiter));
    if (!answer) break;
    if (!first) first = std::move(answer);
  }
  if (!first) return no_connection();
  if (is_failure(first.get())) return error_of(first.get());
  return first;
}

Status Link::stream_rows() {
  if (PQsetSingleRowMode(get()) != 1) return internal_error("stream rows of a database");
  return {};
}

Status Link::settle(const Waiter& waiter) {
  while (syncs_ > 0) {
    SLUICE_TRY(const Answer answer, receive(waiter));
  }
  return {};
}

Status Link::settle(const RunLimits& limits) {
  if (syncs_ == 0) return {};
  SLUICE_TRY(const Waiter waiter, Waiter::make(limits));
  return settle(waiter);
}

Status Link::send_leave() {
  SLUICE_CHECK(send({"ROLLBACK", {}}));
  // Locks that a statement took for the session would stay.
  return send({"SELECT pg_catalog.pg_advisory_unlock_all()", {}});
}

void Link::note_passed(const std::string& sql) {
  if (passed_.size() >= kPassedMax) passed_.clear();
  passed_.insert(sql);
}

void Link::leave_transaction() {
  if (send_leave().ok() && PQpipelineSync(get()) == 1) {
    ++syncs_;
    PQflush(get());
  }
}

void Link::cancel() {
  const std::unique_ptr<PGcancel, FreeCancel> cancel(PQgetCancel(get()));
  std::array<char, 256> ignored{};
  if (cancel) PQcancel(cancel.get(), ignored.data(), static_cast<int>(ignored.size()));
}

bool Link::is_idle() const { return syncs_ == 0 && PQtransactionStatus(get()) == PQTRANS_IDLE; }

bool Link::is_alive() const {
  pollfd polled{.fd = PQsocket(get()), .events = POLLIN, .revents = 0};
  if (polled.fd < 0 || PQstatus(get()) != CONNECTION_OK) return false;
  // A server that ends a connection says so first.
  if (::poll(&polled, 1, 0) > 0 && PQconsumeInput(get()) != 1) return false;
  return PQstatus(get()) == CONNECTION_OK;
}

}  // namespace sluice::engine::postgres

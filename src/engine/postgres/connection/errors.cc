#include "connection/errors.h"

#include <array>
#include <string>
#include <string_view>

#include "sluice/base/text.h"

namespace sluice::engine::postgres {

namespace {

constexpr std::size_t kMessageBytesMax = 300;
constexpr std::string_view kSchemaHint = "The schema of the table lists its columns and their types.";
constexpr std::string_view kReadHint = "Only SELECT over tables that the role can read is run.";
constexpr std::string_view kLessHint = "Ask for fewer columns or groups, or add a filter.";

struct Meaning {
  std::string_view state;  // The beginning of the SQLSTATE.
  ErrorKind kind;
  std::string_view code;
  std::string_view message;  // Empty: the server's own.
  std::string_view hint;
};

// The first that matches decides.
constexpr std::array kMeanings = {
    Meaning{"42501", ErrorKind::kForbidden, "access_denied", "", kReadHint},
    Meaning{"25", ErrorKind::kForbidden, "access_denied", "", kReadHint},
    Meaning{"0A", ErrorKind::kUnsupported, "unsupported_query", "", "Ask it another way."},
    Meaning{"22003", ErrorKind::kInvalidInput, "out_of_range", "",
            "A result does not fit its type; cast to a wider type, or add a filter."},
    Meaning{"22", ErrorKind::kInvalidInput, "invalid_value", "", kSchemaHint},
    Meaning{"57014", ErrorKind::kDeadline, "time_limit", "the time of the request is over",
            "Add a filter, or ask for an aggregate."},
    Meaning{"55P03", ErrorKind::kUnavailable, "database_busy",
            "read database: another session holds what is asked for", "Ask again."},
    Meaning{"40", ErrorKind::kUnavailable, "database_busy", "read database: another session was in the way",
            "Ask again."},
    Meaning{"53200", ErrorKind::kLimitReached, "memory_limit", "the server's memory does not suffice",
            kLessHint},
    Meaning{"53100", ErrorKind::kLimitReached, "memory_limit", "the server's disk does not suffice",
            kLessHint},
    Meaning{"54", ErrorKind::kInvalidInput, "expression_too_large", "", "Ask for less at once."},
    Meaning{"42", ErrorKind::kInvalidInput, "invalid_query", "", kSchemaHint},
    Meaning{"21", ErrorKind::kInvalidInput, "invalid_query", "", kSchemaHint},
    Meaning{"P0", ErrorKind::kInvalidInput, "invalid_query", "", kSchemaHint},
};

}  // namespace

Error no_connection() {
  return unavailable("connect to database: its server does not answer, or does not take the connection")
      .with_code("database_unavailable")
      .with_hint("Ask again; the operator finds the reason in the server's log, or in the configured url.");
}

Error error_of(const PGresult* result) {
  const char* field = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  if (field == nullptr) return no_connection();
  const std::string_view state = field;
  const char* primary = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  const std::string text =
      "run statement: " + excerpt(primary == nullptr ? "no reason given" : primary, kMessageBytesMax);
  for (const Meaning& meaning : kMeanings) {
    if (!state.starts_with(meaning.state)) continue;
    return make_error(meaning.kind, meaning.message.empty() ? std::string_view(text) : meaning.message)
        .with_code(meaning.code)
        .with_hint(meaning.hint);
  }
  // Shutting down, starting up, out of connections, a broken disk: nothing that a statement can be changed
  // for.
  for (const std::string_view known : {"08", "28", "3D", "53", "57", "58"}) {
    if (state.starts_with(known)) return no_connection();
  }
  return internal_error(text);
}

}  // namespace sluice::engine::postgres

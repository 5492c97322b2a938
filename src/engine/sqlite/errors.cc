#include "errors.h"

#include <string>

#include <sqlite3.h>

#include "sluice/base/text.h"
#include "sluice/engine/type_memory.h"

namespace sluice::engine::sqlite {

namespace {

constexpr std::size_t kMessageBytesMax = 300;

Error unavailable_file(std::string_view message, std::string_view hint) {
  return unavailable(message).with_code("database_unavailable").with_hint(hint);
}

}  // namespace

Error error_of(int code, const char* message) {
  switch (code & 0xff) {
    case SQLITE_AUTH:
    case SQLITE_PERM:
      return forbidden("the statement uses something that is not permitted")
          .with_code("access_denied")
          .with_hint("Only SELECT over the tables of the database can be run.");
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
    case SQLITE_FORMAT:
      return invalid_input("read database: the file is broken or no SQLite database")
          .with_code("unreadable_file")
          .with_hint("The file has to be repaired or replaced.");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
      return unavailable("read database: another program is writing to it")
          .with_code("database_busy")
          .with_hint("Ask again.");
    case SQLITE_CANTOPEN:
      return unavailable_file("open database: it cannot be opened",
                              "Look at the file, its permissions and those of its folder.");
    case SQLITE_READONLY:
      // A journal that was left behind has to be rolled back, or a write-ahead log begun, by a writer.
      return unavailable_file("open database: it needs a writer first",
                              "Open it once with a program that may write to it.");
    case SQLITE_IOERR:
    case SQLITE_FULL:
      return unavailable_file("read database: the disk reports an error",
                              "Ask again; then look at the disk.");
    case SQLITE_NOMEM:
    case SQLITE_TOOBIG:
      return limit_reached("bytes in one value", std::uint64_t{64} * 1024 * 1024)
          .with_code("memory_limit")
          .with_hint("Ask for fewer columns or groups, or add a filter.");
    default:
      if (message != nullptr && std::string_view(message) == kMisfit)
        return column_type_changed("one that is grouped or aggregated");
      return invalid_input("run statement: " +
                           excerpt(message == nullptr ? "no reason given" : message, kMessageBytesMax))
          .with_code("invalid_query")
          .with_hint("The schema of the table lists its columns and their types.");
  }
}

}  // namespace sluice::engine::sqlite

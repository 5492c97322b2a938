#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include <sqlite3.h>

#include "sluice/base/result.h"
#include "sluice/engine/database.h"
#include "sluice/engine/sqlite.h"

namespace sluice::engine::sqlite {

struct CloseConnection {
  void operator()(sqlite3* handle) const noexcept { sqlite3_close_v2(handle); }
};
struct FinalizeStatement {
  void operator()(sqlite3_stmt* handle) const noexcept { sqlite3_finalize(handle); }
};
using Connection = std::unique_ptr<sqlite3, CloseConnection>;
using Prepared = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

// Which file a path leads to.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t number = 0;
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

// Fails where there is no regular file. The folders of the path may be links, the file may not.
Result<FileIdentity> identify(const std::string& path);

// Whose statement it is: ours may look at the schema, a caller's may SELECT and no more.
enum class Author : std::uint8_t { kProgram, kCaller };

// One connection, hardened: it reads one file and does nothing else. One thread at a time.
class Session {
 public:
  static Result<std::unique_ptr<Session>> open(const SqliteOptions& options);

  // While it lives, what runs on the session obeys the limits.
  class Watch {
   public:
    Watch(Session& session, const RunLimits& limits) : session_(session) { session_.limits_ = limits; }
    ~Watch() { session_.limits_ = {}; }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

   private:
    Session& session_;
  };

  // Exactly one statement that reads and has rows, with its values bound.
  Result<Prepared> prepare(const Statement& statement, Author author);
  // True for a row, false at the end.
  Result<bool> step(sqlite3_stmt* prepared);

  const FileIdentity& identity() const { return identity_; }

 private:
  Session(Connection connection, FileIdentity identity)
      : connection_(std::move(connection)), identity_(identity) {}

  Status harden(const SqliteOptions& options);
  Error failure() const;  // Of the last call.
  void watch();
  static int authorize(void* self, int action, const char* first, const char* second, const char* database,
                       const char* within);

  Connection connection_;
  FileIdentity identity_;
  std::set<std::string, std::less<>> functions_;  // Registered, in lower case.
  Author author_ = Author::kProgram;
  RunLimits limits_;
};

}  // namespace sluice::engine::sqlite

#include "session.h"

#include <sys/stat.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <limits>
#include <thread>

#include "sluice/base/text.h"
#include "sluice/engine/bounded_pool.h"
#include "sluice/engine/sqlite.h"

#include "authorizer.h"
#include "binding.h"
#include "errors.h"
#include "functions.h"

namespace sluice::engine::sqlite {

namespace {

constexpr int kStepsBetweenLooks = 1'000;  // Some 20 us.
constexpr std::chrono::milliseconds kBusyPause{1};
constexpr int kBusyPausesMax = 5'000;

struct Limit {
  int id;
  int value;
};
constexpr std::array kLimits = {
    Limit{SQLITE_LIMIT_LENGTH, 64 * 1024 * 1024},
    Limit{SQLITE_LIMIT_SQL_LENGTH, 1024 * 1024},
    Limit{SQLITE_LIMIT_EXPR_DEPTH, 500},
    Limit{SQLITE_LIMIT_COMPOUND_SELECT, 100},
    Limit{SQLITE_LIMIT_VDBE_OP, 1'000'000},
    Limit{SQLITE_LIMIT_FUNCTION_ARG, 100},
    Limit{SQLITE_LIMIT_ATTACHED, 0},
    Limit{SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1'000},
    Limit{SQLITE_LIMIT_VARIABLE_NUMBER, 32'766},
    Limit{SQLITE_LIMIT_TRIGGER_DEPTH, 1},
    Limit{SQLITE_LIMIT_WORKER_THREADS, 0},
};

// A cell that does not say where it ends is found before it is read; a file that shrinks under a mapping
// would end the program.
constexpr std::array kPragmas = {"PRAGMA query_only=1", "PRAGMA trusted_schema=0", "PRAGMA cell_size_check=1",
                                 "PRAGMA mmap_size=0", "PRAGMA automatic_index=1"};

// The last one: a column that is gone would be read as the text of its own name.
constexpr std::array kOff = {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER,
                             SQLITE_DBCONFIG_TRUSTED_SCHEMA,        SQLITE_DBCONFIG_WRITABLE_SCHEMA,
                             SQLITE_DBCONFIG_ENABLE_TRIGGER,        SQLITE_DBCONFIG_DQS_DML};

Error no_file() {
  return unavailable("open database: there is no such file")
      .with_code("database_unavailable")
      .with_hint("Look at the file, its permissions and those of its folder.");
}

// The path with the links of its folders followed, those of the operator's own configuration.
Result<std::string> path_of_file(const std::string& path) {
  const std::filesystem::path given(path);
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::canonical(given.parent_path(), error);
  if (error) return no_file();
  return (folder / given.filename()).string();
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n\f;") == std::string_view::npos;
}

}  // namespace

Result<FileIdentity> identify(const std::string& path) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) return no_file();
  if (!S_ISREG(found.st_mode)) {
    return invalid_input("open database: it is not a regular file")
        .with_code("unreadable_file")
        .with_hint("Configure the file itself, not a link to it.");
  }
  return FileIdentity{.device = found.st_dev, .number = found.st_ino};
}

Result<std::unique_ptr<Session>> Session::open(const SqliteOptions& options) {
  SLUICE_TRY(const FileIdentity identity, identify(options.path));
  SLUICE_TRY(const std::string path, path_of_file(options.path));
  sqlite3* raw = nullptr;
  const int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE |
                    SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE;
  const int code = sqlite3_open_v2(path.c_str(), &raw, flags, nullptr);
  Connection connection(raw);
  if (code != SQLITE_OK) return error_of(code, nullptr);
  std::unique_ptr<Session> session(new Session(std::move(connection), identity));
  SLUICE_CHECK(session->harden(options));
  // What was opened is what was looked at, unless the file was replaced in between.
  SLUICE_TRY(const FileIdentity now, identify(options.path));
  if (now != identity) return error_of(SQLITE_BUSY, nullptr);
  return session;
}

Status Session::harden(const SqliteOptions& options) {
  sqlite3* db = connection_.get();
  watch();
  for (const int what : kOff) sqlite3_db_config(db, what, 0, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_enable_load_extension(db, 0);
  for (const Limit& limit : kLimits) sqlite3_limit(db, limit.id, limit.value);
  SLUICE_CHECK(register_functions(db, options, functions_));
  for (const char* pragma : kPragmas) {
    if (const int code = sqlite3_exec(db, pragma, nullptr, nullptr, nullptr); code != SQLITE_OK) {
      return error_of(code, sqlite3_errmsg(db));
    }
  }
  sqlite3_set_authorizer(db, authorize, this);
  if (sqlite3_db_readonly(db, "main") != 1) return internal_error("open database: it is not read-only");
  return {};
}

void Session::watch() {
  sqlite3_progress_handler(
      connection_.get(), kStepsBetweenLooks,
      [](void* self) { return check_limits(static_cast<Session*>(self)->limits_).ok() ? 0 : 1; }, this);
  sqlite3_busy_handler(
      connection_.get(),
      [](void* self, int pauses) {
        if (pauses >= kBusyPausesMax || !check_limits(static_cast<Session*>(self)->limits_).ok()) return 0;
        std::this_thread::sleep_for(kBusyPause);
        return 1;
      },
      this);
}

int Session::authorize(void* self, int action, const char* first, const char* second,
                       const char* /*database*/, const char* within) {
  const auto& session = *static_cast<const Session*>(self);
  if (session.author_ == Author::kProgram) return SQLITE_OK;
  const std::string_view name = first == nullptr ? "" : first;
  const std::string_view other = second == nullptr ? "" : second;
  const bool is_declaration = name == "sqlite_master";
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_READ:
      return is_permitted_table(name) || (is_declaration && other == "ROWID") ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_FUNCTION:
      return is_permitted_function(other, within == nullptr ? Origin::kStatement : Origin::kView) ||
                     session.functions_.contains(to_lower_ascii(other))
                 ? SQLITE_OK
                 : SQLITE_DENY;
    case SQLITE_PRAGMA:
      // Full-text indexes look at it for themselves.
      return name == "data_version" && second == nullptr ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_UPDATE:
      // What SQLite asks while a virtual table such as json_each declares its columns. An UPDATE of a
      // caller's is refused for what it is: the schema is not writable, the session reads only, and so must
      // the statement.
      return is_declaration ? SQLITE_OK : SQLITE_DENY;
    default:
      return SQLITE_DENY;
  }
}

Error Session::failure() const {
  const int code = sqlite3_extended_errcode(connection_.get());
  if (Status limits = check_limits(limits_); !limits.ok()) return std::move(limits).error();
  return error_of(code, sqlite3_errmsg(connection_.get()));
}

Result<Prepared> Session::prepare(const Statement& statement, Author author) {
  const Error refusal = invalid_input("a query is exactly one SELECT").with_code("invalid_query");
  // SQLite reads up to the first NUL; what stands behind it would be ignored in silence.
  if (statement.sql.find('\0') != std::string::npos) return refusal;
  SLUICE_CHECK(check_limits(limits_));
  author_ = author;
  sqlite3_stmt* raw = nullptr;
  const char* tail = nullptr;
  const int code = sqlite3_prepare_v3(connection_.get(), statement.sql.c_str(),
                                      static_cast<int>(statement.sql.size()) + 1, 0, &raw, &tail);
  Prepared prepared(raw);
  if (code != SQLITE_OK) return failure();
  if (!prepared || !is_blank(tail)) return refusal;
  if (author == Author::kCaller && (sqlite3_stmt_readonly(raw) == 0 || sqlite3_stmt_isexplain(raw) != 0)) {
    return refusal;
  }
  if (sqlite3_column_count(raw) == 0) return refusal;
  SLUICE_CHECK(bind_values(raw, statement.parameters));
  return prepared;
}

Result<bool> Session::step(sqlite3_stmt* prepared) {
  switch (sqlite3_step(prepared)) {
    case SQLITE_ROW:
      return true;
    case SQLITE_DONE:
      return false;
    default:
      return failure();
  }
}

}  // namespace sluice::engine::sqlite

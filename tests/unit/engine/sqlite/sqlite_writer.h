#pragma once

#include <string>

#include <gtest/gtest.h>
#include <sqlite3.h>

namespace sluice::engine {

// Another program that writes to a database file.
class SqliteWriter {
 public:
  explicit SqliteWriter(const std::string& path) {
    EXPECT_EQ(sqlite3_open(path.c_str(), &db_), SQLITE_OK);
    sqlite3_busy_timeout(db_, kPatienceMs);
  }
  SqliteWriter(const SqliteWriter&) = delete;
  SqliteWriter& operator=(const SqliteWriter&) = delete;
  ~SqliteWriter() { sqlite3_close(db_); }

  void run(const std::string& sql) {
    char* message = nullptr;
    EXPECT_EQ(sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, &message), SQLITE_OK)
        << sql.substr(0, 300) << ": " << (message == nullptr ? "" : message);
    sqlite3_free(message);
  }

 private:
  static constexpr int kPatienceMs = 20'000;
  sqlite3* db_ = nullptr;
};

}  // namespace sluice::engine

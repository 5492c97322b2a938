#pragma once

#include <stdlib.h>

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "sluice/engine/database.h"
#include "sluice/engine/sqlite.h"

namespace sluice::engine {

// A database file in a folder that lives as long as the test, and the program that writes to it.
class SqliteFile {
 public:
  SqliteFile() {
    std::string pattern = testing::TempDir() + "sluice-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make " + pattern);
    folder_ = pattern;
    open();
  }
  SqliteFile(const SqliteFile&) = delete;
  SqliteFile& operator=(const SqliteFile&) = delete;
  ~SqliteFile() {
    close();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  std::string folder() const { return folder_; }
  std::string path() const { return folder_ + "/shop.db"; }

  void open() { EXPECT_EQ(sqlite3_open(path().c_str(), &db_), SQLITE_OK); }
  void close() {
    sqlite3_close(db_);
    db_ = nullptr;
  }
  void run(const std::string& sql) {
    char* message = nullptr;
    EXPECT_EQ(sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, &message), SQLITE_OK)
        << sql << ": " << (message == nullptr ? "" : message);
    sqlite3_free(message);
  }

  std::unique_ptr<Database> database(SqliteOptions options = {}) const {
    options.path = path();
    return std::move(open_sqlite(options)).value();
  }

 private:
  std::string folder_;
  sqlite3* db_ = nullptr;
};

}  // namespace sluice::engine

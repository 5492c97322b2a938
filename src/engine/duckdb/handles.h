#pragma once

#include <memory>
#include <type_traits>

#include "library.h"

namespace sluice::engine::duck {

template <auto& kDestroy>  // A pointer that is set once the library is there.
struct Destroy {           // DuckDB's destroy functions take the handle's address, to null it.
  void operator()(auto* handle) const noexcept { kDestroy(&handle); }
};
struct FreeText {
  void operator()(char* text) const noexcept { duckdb_free(text); }
};

using Database = std::unique_ptr<_duckdb_database, Destroy<duckdb_close>>;
using Connection = std::unique_ptr<_duckdb_connection, Destroy<duckdb_disconnect>>;
using Config = std::unique_ptr<_duckdb_config, Destroy<duckdb_destroy_config>>;
using Prepared = std::unique_ptr<_duckdb_prepared_statement, Destroy<duckdb_destroy_prepare>>;
using Pending = std::unique_ptr<_duckdb_pending_result, Destroy<duckdb_destroy_pending>>;
using Chunk = std::unique_ptr<_duckdb_data_chunk, Destroy<duckdb_destroy_data_chunk>>;
using LogicalType = std::unique_ptr<_duckdb_logical_type, Destroy<duckdb_destroy_logical_type>>;
using Value = std::unique_ptr<_duckdb_value, Destroy<duckdb_destroy_value>>;
using Function = std::unique_ptr<_duckdb_scalar_function, Destroy<duckdb_destroy_scalar_function>>;
using TableFunction = std::unique_ptr<_duckdb_table_function, Destroy<duckdb_destroy_table_function>>;
using Text = std::unique_ptr<char, FreeText>;

// A result is a struct in the C API, not a handle.
class QueryResult {
 public:
  QueryResult() = default;
  QueryResult(const QueryResult&) = delete;
  QueryResult& operator=(const QueryResult&) = delete;
  ~QueryResult() { duckdb_destroy_result(&raw_); }
  duckdb_result* get() { return &raw_; }

 private:
  duckdb_result raw_{};
};

}  // namespace sluice::engine::duck

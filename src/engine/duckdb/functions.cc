#include "functions.h"

#include <string>
#include <string_view>

#include "sluice/engine/batch.h"

#include "types.h"

namespace sluice::engine::duck {

namespace {

// One argument of a call, for all rows of a chunk.
struct Argument {
  Argument(duckdb_data_chunk input, idx_t index) {
    const duckdb_vector vector = duckdb_data_chunk_get_vector(input, index);
    cells = static_cast<const TextCell*>(duckdb_vector_get_data(vector));
    valid = duckdb_vector_get_validity(vector);
  }
  bool is_null(idx_t row) const { return !duckdb_validity_row_is_valid(valid, row); }

  const TextCell* cells = nullptr;
  std::uint64_t* valid = nullptr;  // Null where no row is null.
};

void apply_to_texts(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  const auto* function = static_cast<const TextFunction*>(duckdb_scalar_function_get_extra_info(info));
  const Argument text(input, 0);
  const idx_t rows = duckdb_data_chunk_get_size(input);
  for (idx_t row = 0; row < rows; ++row) {
    if (text.is_null(row)) {
      set_null(output, row);
      continue;
    }
    const std::string value = function->apply(text.cells[row].view());
    duckdb_vector_assign_string_element_len(output, row, value.data(), value.size());
  }
}

void apply_to_pairs(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  const auto* function = static_cast<const TextPairFunction*>(duckdb_scalar_function_get_extra_info(info));
  const Argument first(input, 0);
  const Argument second(input, 1);
  auto* values = static_cast<double*>(duckdb_vector_get_data(output));
  const idx_t rows = duckdb_data_chunk_get_size(input);
  for (idx_t row = 0; row < rows; ++row) {
    if (first.is_null(row) || second.is_null(row)) {
      set_null(output, row);
      continue;
    }
    values[row] = function->apply(first.cells[row].view(), second.cells[row].view());
  }
}

// What differs between the kinds of function.
struct Signature {
  int texts = 1;
  duckdb_type returns = DUCKDB_TYPE_VARCHAR;
  duckdb_scalar_function_t call = nullptr;
};

template <typename F>
Status register_as(duckdb_connection connection, const F& function, const Signature& signature) {
  const Function scalar(duckdb_create_scalar_function());
  const LogicalType text(duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR));
  const LogicalType returned(duckdb_create_logical_type(signature.returns));
  duckdb_scalar_function_set_name(scalar.get(), function.name.c_str());
  for (int i = 0; i < signature.texts; ++i) duckdb_scalar_function_add_parameter(scalar.get(), text.get());
  duckdb_scalar_function_set_return_type(scalar.get(), returned.get());
  duckdb_scalar_function_set_extra_info(scalar.get(), new F(function), [](void* extra) {
    delete static_cast<F*>(extra);  // DuckDB owns it, and destroys it with the function.
  });
  duckdb_scalar_function_set_function(scalar.get(), signature.call);
  if (duckdb_register_scalar_function(connection, scalar.get()) == DuckDBError) {
    return internal_error("register function: " + function.name);
  }
  return {};
}

}  // namespace

Status register_function(duckdb_connection connection, const TextFunction& function) {
  return register_as(connection, function,
                     {.texts = 1, .returns = DUCKDB_TYPE_VARCHAR, .call = apply_to_texts});
}

Status register_function(duckdb_connection connection, const TextPairFunction& function) {
  return register_as(connection, function,
                     {.texts = 2, .returns = DUCKDB_TYPE_DOUBLE, .call = apply_to_pairs});
}

}  // namespace sluice::engine::duck

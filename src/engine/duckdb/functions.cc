#include "duckdb/functions.h"

#include <string>
#include <string_view>

#include "sluice/engine/batch.h"

namespace sluice::engine::duck {

namespace {

void apply_to_chunk(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  const auto* function = static_cast<const TextFunction*>(duckdb_scalar_function_get_extra_info(info));
  const duckdb_vector argument = duckdb_data_chunk_get_vector(input, 0);
  const auto* cells = static_cast<const TextCell*>(duckdb_vector_get_data(argument));
  std::uint64_t* valid_in = duckdb_vector_get_validity(argument);
  const idx_t rows = duckdb_data_chunk_get_size(input);
  for (idx_t row = 0; row < rows; ++row) {
    if (!duckdb_validity_row_is_valid(valid_in, row)) {
      duckdb_vector_ensure_validity_writable(output);
      duckdb_validity_set_row_invalid(duckdb_vector_get_validity(output), row);
      continue;
    }
    const std::string text = function->apply(cells[row].view());
    duckdb_vector_assign_string_element_len(output, row, text.data(), text.size());
  }
}

}  // namespace

Status register_function(duckdb_connection connection, const TextFunction& function) {
  const Function scalar(duckdb_create_scalar_function());
  const LogicalType text(duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR));
  duckdb_scalar_function_set_name(scalar.get(), function.name.c_str());
  duckdb_scalar_function_add_parameter(scalar.get(), text.get());
  duckdb_scalar_function_set_return_type(scalar.get(), text.get());
  duckdb_scalar_function_set_extra_info(scalar.get(), new TextFunction(function), [](void* extra) {
    delete static_cast<TextFunction*>(extra);  // DuckDB owns it, and destroys it with the function.
  });
  duckdb_scalar_function_set_function(scalar.get(), apply_to_chunk);
  if (duckdb_register_scalar_function(connection, scalar.get()) == DuckDBError) {
    return internal_error("register function: " + function.name);
  }
  return {};
}

}  // namespace sluice::engine::duck

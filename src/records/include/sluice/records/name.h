#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/engine/type.h"

namespace sluice::records {

// A data type is an identifier, never a path: ASCII letters, digits, `_`, `-` and `.`, at most 128, beginning
// with a letter or a digit, and no name that Windows reserves or that the store uses for itself. Anything
// else is refused before it is looked up: code `invalid_data_type`.
Status check_data_type(std::string_view name);

// `tasks/tasks.parquet`.
std::string file_path(std::string_view data_type);

// The names that an id column may have, the most likely first: by the rule that stores of this layout share
// (every trailing s goes, `_id` comes: tasks → task_id, addresses → addresse_id), `<data_type>_id`, by the
// singular (addresses → address_id, categories → category_id), `id`.
std::vector<std::string> id_column_candidates(std::string_view data_type);

// The name for the id column of a data type that has none: the singular and `_id`.
std::string new_id_column(std::string_view data_type);

// The id column that a file has: the first of the candidates; "" where it has none.
std::string id_column_of(std::string_view data_type, std::span<const engine::Field> columns);

// 16 characters of a random UUID, as in "d9c70e2f-8f47-40".
std::string new_id();

// A random UUID (version 4), all 36 characters of it.
std::string new_uuid();

}  // namespace sluice::records

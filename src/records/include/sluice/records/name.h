#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sluice/base/result.h"
#include "sluice/engine/type.h"

namespace sluice::records {

// A data type is an identifier, never a path: ASCII letters, digits, `_`, `-` and `.`, at most 128, beginning
// with a letter or a digit, and no name that Windows reserves or that the store uses for itself. Anything
// else is refused before it is looked up: code `invalid_data_type`.
Status check_data_type(std::string_view name);

// `tasks/tasks.parquet`.
std::string file_path(std::string_view data_type);

// The name of the id column by the rule that stores of this layout share: every trailing s goes, `_id` comes.
// tasks → task_id, addresses → addresse_id.
std::string id_column_by_rule(std::string_view data_type);

// The id column that a file has: that of the rule, else `<data_type>_id`, else `id`; "" where it has none.
std::string id_column_of(std::string_view data_type, std::span<const engine::Field> columns);

// 16 characters of a random UUID, as in "d9c70e2f-8f47-40".
std::string new_id();

}  // namespace sluice::records

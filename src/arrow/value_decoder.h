#pragma once

#include <string_view>

#include "sluice/base/result.h"

#include "decoded_column.h"
#include "schema_reader.h"

namespace sluice::arrow {

// Sets the cells of a column of kFixed layout from the values of the file, of which there are enough bytes.
// The values of null rows are not looked at.
Status decode_values(const ArrowField& field, std::string_view values, DecodedColumn& column);

}  // namespace sluice::arrow

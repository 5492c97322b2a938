#pragma once

#include <string>
#include <vector>

#include <libpq-fe.h>

#include "sluice/base/result.h"
#include "sluice/engine/sql.h"

namespace sluice::engine::postgres {

// Values as libpq takes them, all in text form. A type of 0 leaves it to the statement.
struct Values {
  std::vector<Oid> types;
  std::vector<std::string> texts;
  std::vector<const char*> pointers;  // Into `texts`, or null.
};

Result<Values> values_of(const std::vector<Parameter>& parameters);

// {"a","b\"c"}.
std::string array_text(const std::vector<std::string>& items);

}  // namespace sluice::engine::postgres

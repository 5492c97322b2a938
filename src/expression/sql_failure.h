#pragma once

#include <map>
#include <string>
#include <string_view>

#include "sluice/base/error.h"
#include "sluice/expression/sql.h"
#include "sluice/json/value.h"

#include "sql_place.h"

namespace sluice::expression {

// The tables that a statement reads, by name.
using ReadTables = std::map<std::string, const SqlTables::Table*>;

// What is wrong with a statement that the engine cannot bind, with its place and what to write instead.
// `tree` is what the parser made of `sql`.
Error binding_failure(const Error& error, const ReadTables& tables, std::string_view sql,
                      const json::Value& tree);

// A statement that does not parse or is refused, with the place. If the parser stopped at a keyword that may
// be a name, the hint says so.
Error refusal_at(Error error, std::string_view sql, const SqlPlace& place);

}  // namespace sluice::expression

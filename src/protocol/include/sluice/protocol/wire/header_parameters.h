#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/json/value.h"

namespace sluice::protocol {

// An argument that a client mirrors into the header Mcp-Param-<name> (the schema annotation x-mcp-header).
struct HeaderParameter {
  std::string header;             // Lower case, without the prefix.
  std::vector<std::string> path;  // Keys from the arguments down to the value.
};

// All of them in an input schema. Fails where an annotation breaks the rules of the specification: not a
// token, not unique, not on a string, integer or boolean, or not reachable by `properties` alone.
Result<std::vector<HeaderParameter>> find_header_parameters(const json::Value& input_schema);

// Compares headers (lower-case name, value as sent) with the arguments. Returns what is wrong, or "".
std::string check_header_parameters(const std::vector<HeaderParameter>& parameters,
                                    const json::Object& arguments,
                                    const std::vector<std::pair<std::string, std::string>>& headers);

}  // namespace sluice::protocol

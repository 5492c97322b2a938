#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schema_program.h"

namespace sluice::json {

// The texts of problems. They are read by whoever sent the value and has to correct it; values are cut short.

// "an integer", "a string or null".
std::string describe_types(SchemaTypes types);
// "a string \"12\"", "null", "an array of 3 items".
std::string describe_value(const Value& value);
// `"asc"`, `12`: a value as JSON.
std::string quote_value(const Value& value);
std::string quote_text(std::string_view text);
// "1 item", "3 items".
std::string count_of(std::uint64_t count, std::string_view noun);

std::string wrong_type(SchemaTypes expected, const Value& got);
std::string wrong_choice(const std::vector<const Value*>& choices, const Value& got);
std::string wrong_number(const NumberRule& rule, const Number& got);
// "must have at most 3 items, got 5".
std::string wrong_count(const CountRange& range, std::uint64_t got, std::string_view verb,
                        std::string_view noun);
std::string unknown_property(std::string_view name, const std::vector<std::string>& known);
// What a schema under "not" excludes, where that can be said in a few words.
std::string excluded(const SchemaNode& negated);

}  // namespace sluice::json

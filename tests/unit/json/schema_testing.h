#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sluice/json/reader.h"
#include "sluice/json/schema.h"

namespace sluice::json {

inline Value parse(std::string_view text) {
  Result<Value> value = read(text);
  EXPECT_TRUE(value.ok()) << text << ": " << (value.ok() ? "" : value.error().message);
  return value.ok() ? *value : Value();
}

inline Schema must_compile(std::string_view schema, const CompileOptions& options = {}) {
  Result<Schema> compiled = Schema::compile(parse(schema), options);
  EXPECT_TRUE(compiled.ok()) << schema << ": " << (compiled.ok() ? "" : compiled.error().message);
  return compiled.ok() ? std::move(compiled).value() : *Schema::compile(Value(false));
}

// The message of the error with which a schema is refused.
inline std::string refusal(std::string_view schema) {
  const Result<Schema> compiled = Schema::compile(parse(schema));
  EXPECT_FALSE(compiled.ok()) << "it compiles: " << schema;
  return compiled.ok() ? "" : compiled.error().message;
}

// The problems of a value, as "path: message".
inline std::vector<std::string> problems(const Schema& schema, const Value& value) {
  std::vector<std::string> lines;
  for (const SchemaProblem& problem : schema.validate(value, "arguments")) {
    lines.push_back(problem.path + ": " + problem.message);
  }
  return lines;
}

inline std::vector<std::string> problems(std::string_view schema, std::string_view value) {
  return problems(must_compile(schema), parse(value));
}

inline bool accepts(std::string_view schema, std::string_view value) {
  return problems(schema, value).empty();
}

}  // namespace sluice::json

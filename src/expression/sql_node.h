#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/json/value.h"

namespace sluice::expression {

// "this SQL is not allowed: …", with what is allowed as its hint.
Error refused(std::string_view what);
// By what the engine's parser says about the text. Its message begins with `kNotParsed`.
inline constexpr std::string_view kNotParsed = "this SQL does not parse";
Error not_parsed(std::string_view message);
// The same with the code `expression_too_large`.
Error too_large(std::string_view what);
// A clause of the engine's dialect that is not offered, with the code `unsupported_clause`; `instead` is a
// sentence.
Error unsupported_clause(std::string_view clause, std::string_view instead);
Error no_sample();

// One object of the tree that the engine makes of a statement. Whoever reads it takes the members it knows;
// `finish` refuses what is left over and not empty, so that nothing unknown gets past the check.
class SqlNode {
 public:
  static Result<SqlNode> of(const json::Value* value);  // `value` outlives the node.

  std::string_view text(std::string_view key);     // "" where absent.
  bool flag(std::string_view key);                 // False where absent.
  const json::Array& items(std::string_view key);  // Empty where absent.
  // A list of names that nobody reads further: refused where it holds an expression, a table or a query.
  Status names(std::string_view key);
  const json::Value* value(std::string_view key);  // Null where absent or null.
  const json::Value* peek(std::string_view key) const { return object_.find(key); }
  Status finish() const;
  const json::Object& object() const { return object_; }

 private:
  explicit SqlNode(const json::Object& object);
  const json::Value* take(std::string_view key);

  const json::Object& object_;
  std::vector<bool> is_taken_;
};

}  // namespace sluice::expression

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/json/value.h"

namespace sluice::json {

struct SchemaProgram;

struct CompileOptions {
  // Whether `format` decides (date, date-time, email, uri, uuid, ipv4) or is a remark, as the standard has
  // it.
  bool assert_formats = false;
};

// One thing that is wrong with a value, worded for whoever has to send a better one:
// {"arguments.filters[2].op", "must be one of \"=\", \"<\", got \"==\""}.
struct SchemaProblem {
  std::string path;
  std::string message;
};

// A JSON Schema, compiled once. The dialects are 2020-12 (also where `$schema` is absent) and draft-07, of
// which the parts that 2020-12 dropped are understood as well: `definitions`, `items` as an array,
// `dependencies`, `$ref` that hides its neighbours. References stay inside the document: nothing is ever
// fetched.
//
// Immutable; `validate` may run on any number of threads at once. Both directions are bounded in time and
// memory, so neither the schema nor the value needs to be trusted.
class Schema {
 public:
  // Keeps no reference to `schema`. An error names the place as a JSON pointer: "schema at
  // #/properties/id/minimum: …".
  static Result<Schema> compile(const Value& schema, const CompileOptions& options = {});

  Schema(Schema&&) noexcept;
  Schema& operator=(Schema&&) noexcept;
  ~Schema();

  // What is wrong with `instance`, the first few things at most; empty where it is valid. Paths start with
  // `root`.
  std::vector<SchemaProblem> validate(const Value& instance, std::string_view root = "value") const;

 private:
  explicit Schema(std::unique_ptr<const SchemaProgram> program);

  std::unique_ptr<const SchemaProgram> program_;  // Hides RE2; it is never null but after a move.
};

}  // namespace sluice::json

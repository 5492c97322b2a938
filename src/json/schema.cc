#include "sluice/json/schema.h"

#include <utility>

#include "sluice/base/assert.h"

#include "schema_compiler.h"
#include "schema_program.h"
#include "schema_validator.h"

namespace sluice::json {

Schema::Schema(std::unique_ptr<const SchemaProgram> program) : program_(std::move(program)) {}
Schema::Schema(Schema&&) noexcept = default;
Schema& Schema::operator=(Schema&&) noexcept = default;
Schema::~Schema() = default;

Result<Schema> Schema::compile(const Value& schema, const CompileOptions& options) {
  SLUICE_TRY(SchemaProgram program, SchemaCompiler(schema, options).run());
  return Schema(std::make_unique<const SchemaProgram>(std::move(program)));
}

std::vector<SchemaProblem> Schema::validate(const Value& instance, std::string_view root) const {
  SLUICE_ASSERT(program_ != nullptr, "a schema that was moved from is not used again");
  return SchemaValidator(*program_, root).run(instance);
}

}  // namespace sluice::json

// Any text as an expression: it compiles to one SELECT with a parameter for each value, or is refused with a
// code.
#include "sluice/expression/polars.h"

#include <string>

#include "property.h"

namespace {

std::string without_names(const std::string& sql) {
  std::string out;
  bool is_name = false;
  for (const char c : sql) {
    if (c == '"') {
      is_name = !is_name;
    } else if (!is_name) {
      out += c;
    }
  }
  require(!is_name, "every quoted name ends");
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace expression = sluice::expression;
  using sluice::engine::TypeId;
  static const expression::Columns kColumns = {{"a", {.id = TypeId::kInt64}},
                                               {"b", {.id = TypeId::kText}},
                                               {"c", {.id = TypeId::kDouble}},
                                               {"d", {.id = TypeId::kDate}},
                                               {"e", {.id = TypeId::kBool}}};
  const sluice::Result<expression::Question> question =
      expression::compile_polars(text_of(data, size), kColumns, {});
  if (!question) {
    require(question.error().kind == sluice::ErrorKind::kInvalidInput, "the caller can act on a refusal");
    require(!question.error().code.empty() && !question.error().hint.empty(), "a refusal says what to do");
    return 0;
  }
  const std::string sql = without_names(question->sql);
  require(sql.starts_with("SELECT "), "it is one SELECT");
  require(sql.find_first_of(";'\\") == std::string::npos, "nothing of the text is in it but names, quoted");
  require(sql.find("$" + std::to_string(question->parameters.size() + 1) + " ") == std::string::npos,
          "every placeholder has a value");
  return 0;
}

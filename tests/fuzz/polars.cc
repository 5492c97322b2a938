// Any text as an expression: it compiles to one SELECT with a parameter for each value, or is refused with a
// code.
#include "sluice/expression/polars.h"

#include <string>

#include "property.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace expression = sluice::expression;
  using sluice::engine::TypeId;
  static const expression::Columns kColumns = {{"a", {TypeId::kInt64}},
                                               {"b", {TypeId::kText}},
                                               {"c", {TypeId::kDouble}},
                                               {"d", {TypeId::kDate}},
                                               {"e", {TypeId::kBool}}};
  const sluice::Result<expression::Question> question =
      expression::compile_polars(text_of(data, size), kColumns);
  if (!question) {
    require(question.error().kind == sluice::ErrorKind::kInvalidInput, "the caller can act on a refusal");
    require(!question.error().code.empty() && !question.error().hint.empty(), "a refusal says what to do");
    return 0;
  }
  require(question->sql.starts_with("SELECT "), "it is one SELECT");
  require(
      question->sql.find(';') == std::string::npos || text_of(data, size).find(';') != std::string_view::npos,
      "nothing is added that ends a statement");
  require(
      question->sql.find("$" + std::to_string(question->parameters.size() + 1) + " ") == std::string::npos,
      "every placeholder has a value");
  return 0;
}

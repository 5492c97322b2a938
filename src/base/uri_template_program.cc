#include "uri_template_program.h"

#include <cstdint>
#include <string_view>
#include <utility>
#include <variant>

#include "uri_template_operator.h"

namespace sluice {
namespace {

using Kind = MatchStep::Kind;

// The characters at which a value ends. A value that is alone in its expression may hold the separator, where
// the operator does not forbid it: "tar.gz" in `{.format}`.
std::string_view excluded_characters(char op, bool alone) {
  switch (op) {
    case '+':
    case '#':
      return alone ? "" : ",";
    case '.':
      return alone ? "/?#" : "./?#";
    case '/':
      return "/?#";
    default:
      return alone ? "/?#" : ",/?#";
  }
}

enum class Appetite : std::uint8_t { kGreedy, kLazy };

class Compiler {
 public:
  MatchProgram compile(const std::vector<UriTemplate::Part>& parts) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (const auto* literal = std::get_if<std::string>(&parts[i])) {
        emit({.kind = Kind::kLiteral, .literal = *literal});
        continue;
      }
      const auto& expression = std::get<UriTemplate::Expression>(parts[i]);
      const auto* behind =
          i + 1 < parts.size() ? std::get_if<UriTemplate::Expression>(&parts[i + 1]) : nullptr;
      const bool yields = behind != nullptr && template_operator(behind->op).first != 0;
      emit_expression(expression, yields ? Appetite::kLazy : Appetite::kGreedy);
    }
    emit({.kind = Kind::kEnd});
    return std::move(program_);
  }

 private:
  // Appends a step that goes on with the step after it.
  std::uint32_t emit(MatchStep step) {
    const auto at = static_cast<std::uint32_t>(program_.size());
    step.next = at + 1;
    program_.push_back(step);
    return at;
  }
  std::uint32_t here() const { return static_cast<std::uint32_t>(program_.size()); }

  void emit_expression(const UriTemplate::Expression& expression, Appetite last) {
    const TemplateOperator shape = template_operator(expression.op);
    if (shape.named) {
      emit({.kind = Kind::kParameters, .expression = &expression});
      return;
    }
    std::vector<std::uint32_t> exits;  // Forks that may leave the expression early; they point to its end.
    if (shape.first != 0) {
      exits.push_back(emit({.kind = Kind::kFork}));
      emit_mark(shape.first);
    }
    const bool alone = expression.variables.size() == 1 && !expression.variables[0].explode;
    const std::string_view excluded = excluded_characters(expression.op, alone);
    for (std::size_t i = 0; i < expression.variables.size(); ++i) {
      const UriTemplate::Variable& variable = expression.variables[i];
      const bool is_last = i + 1 == expression.variables.size();
      if (i > 0) {
        exits.push_back(emit({.kind = Kind::kFork}));
        emit_mark(shape.separator);
      }
      emit({.kind = Kind::kOpen, .expression = &expression, .variable = &variable});
      if (i == 0 && shape.first == 0) emit({.kind = Kind::kCharacter, .excluded = excluded});
      emit_value(excluded, is_last ? last : Appetite::kGreedy);
      // The variables behind a list are given an item each before the list takes the rest.
      if (variable.explode) emit_more_items(shape.separator, excluded, is_last ? last : Appetite::kLazy);
      emit({.kind = Kind::kClose, .expression = &expression, .variable = &variable});
    }
    for (const std::uint32_t exit : exits) program_[exit].otherwise = here();
  }

  void emit_mark(char mark) {
    static constexpr std::string_view kMarks = "#./,";
    emit({.kind = Kind::kLiteral, .literal = kMarks.substr(kMarks.find(mark), 1)});
  }

  // Any number of characters.
  void emit_value(std::string_view excluded, Appetite appetite) {
    const std::uint32_t fork = emit({.kind = Kind::kFork});
    emit({.kind = Kind::kCharacter, .excluded = excluded});
    close_loop(fork, appetite);
  }

  // Any number of further items, each behind a separator.
  void emit_more_items(char separator, std::string_view excluded, Appetite appetite) {
    const std::uint32_t fork = emit({.kind = Kind::kFork});
    emit_mark(separator);
    emit_value(excluded, Appetite::kGreedy);
    close_loop(fork, appetite);
  }

  void close_loop(std::uint32_t fork, Appetite appetite) {
    program_[emit({.kind = Kind::kJump})].next = fork;
    program_[fork].otherwise = here();
    if (appetite == Appetite::kLazy) std::swap(program_[fork].next, program_[fork].otherwise);
  }

  MatchProgram program_;
};

}  // namespace

MatchProgram compile_match(const std::vector<UriTemplate::Part>& parts) { return Compiler().compile(parts); }

}  // namespace sluice

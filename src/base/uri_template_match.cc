#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "sluice/base/limits.h"
#include "sluice/base/uri_template.h"

#include "uri_characters.h"
#include "uri_template_bindings.h"
#include "uri_template_operator.h"
#include "uri_template_program.h"

namespace sluice {
namespace {

// Where `literal` ends if it stands at `at`. The case of escapes does not matter, and what a host left
// unescaped of the non-ASCII text of a template is the same text.
std::optional<std::size_t> literal_end(std::string_view uri, std::size_t at, std::string_view literal) {
  for (std::size_t i = 0; i < literal.size();) {
    const std::optional<UriByte> wanted = uri_byte_at(literal, i);
    const std::optional<UriByte> found = uri_byte_at(uri, at);
    if (!wanted || !found || wanted->byte != found->byte) return std::nullopt;
    if (wanted->escaped != found->escaped && is_ascii(found->byte)) return std::nullopt;
    i = wanted->end;
    at = found->end;
  }
  return at;
}

// The machine that runs a program: depth first, each state once, so at most steps × positions turns.
class Machine {
 public:
  Machine(const MatchProgram& program, std::string_view uri)
      : program_(program), uri_(uri), tried_(program.size() * (uri.size() + 1)) {}

  struct Capture {
    const MatchStep* step = nullptr;
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  // What the variables and parameter runs of the template cover, from left to right, or nothing.
  std::optional<std::vector<Capture>> run() {
    waiting_.push_back({});
    while (!waiting_.empty() && ++turns_ <= kTemplateMatchStepsMax) {
      const State state = waiting_.back();
      waiting_.pop_back();
      const std::size_t index = state.step * (uri_.size() + 1) + state.at;
      if (tried_[index]) continue;
      tried_[index] = true;
      path_.push_back(state);
      if (program_[state.step].kind == MatchStep::Kind::kEnd) {
        if (state.at == uri_.size()) return captures();
        continue;
      }
      advance(state);
    }
    return std::nullopt;
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  struct State {
    std::size_t step = 0;
    std::size_t at = 0;
    std::size_t before = kNone;  // The state that led here, as an index into path_.
  };

  void advance(const State& state) {
    const MatchStep& step = program_[state.step];
    switch (step.kind) {
      case MatchStep::Kind::kLiteral:
        if (const auto end = literal_end(uri_, state.at, step.literal)) go(step.next, *end);
        return;
      case MatchStep::Kind::kCharacter:
        if (const auto end = character_end(uri_, state.at, step.excluded)) go(step.next, *end);
        return;
      case MatchStep::Kind::kFork:
        go(step.otherwise, state.at);  // What goes in last comes out first.
        go(step.next, state.at);
        return;
      case MatchStep::Kind::kParameters:
        take_parameters(step, state.at);
        return;
      case MatchStep::Kind::kJump:
      case MatchStep::Kind::kOpen:
      case MatchStep::Kind::kClose:
        go(step.next, state.at);
        return;
      case MatchStep::Kind::kEnd:
        return;
    }
  }

  void take_parameters(const MatchStep& step, std::size_t at) {
    const ParameterRun run = parameter_run(*step.expression, uri_, at);
    turns_ += run.scanned_bytes;
    for (const std::size_t end : run.ends) go(step.next, end);  // The longest comes out first.
  }

  void go(std::size_t step, std::size_t at) {
    waiting_.push_back({.step = step, .at = at, .before = path_.size() - 1});
  }

  std::vector<Capture> captures() const {
    std::vector<Capture> found;
    std::size_t end = uri_.size();
    std::size_t after = uri_.size();
    for (std::size_t i = path_.size() - 1; i != kNone; i = path_[i].before) {
      const MatchStep& step = program_[path_[i].step];
      if (step.kind == MatchStep::Kind::kClose) end = path_[i].at;
      if (step.kind == MatchStep::Kind::kOpen) found.push_back({&step, path_[i].at, end});
      if (step.kind == MatchStep::Kind::kParameters) found.push_back({&step, path_[i].at, after});
      after = path_[i].at;
    }
    std::reverse(found.begin(), found.end());
    return found;
  }

  const MatchProgram& program_;
  std::string_view uri_;  // Kept alive by the caller of match.
  std::vector<bool> tried_;
  std::size_t turns_ = 0;
  std::vector<State> waiting_;
  std::vector<State> path_;
};

// The value of an exploded variable: pairs where every item is name=value, else a list.
TemplateValue exploded_items(std::string_view text, char separator) {
  TemplateList list;
  TemplatePairs pairs;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    const std::string_view item = text.substr(at, end - at);
    const std::size_t equals = item.find('=');
    if (equals != std::string_view::npos) {
      pairs.emplace_back(decode_characters(item.substr(0, equals)),
                         decode_characters(item.substr(equals + 1)));
    }
    list.push_back(decode_characters(item));
    at = end + 1;
  }
  if (pairs.size() == list.size()) return pairs;
  return list;
}

std::optional<TemplateValues> bind(const std::vector<Machine::Capture>& captures, std::string_view uri) {
  TemplateBindings bindings;
  for (const Machine::Capture& capture : captures) {
    const std::string_view text = uri.substr(capture.begin, capture.end - capture.begin);
    const UriTemplate::Variable* variable = capture.step->variable;
    if (variable == nullptr) {
      if (!bind_parameters(*capture.step->expression, text, bindings)) return std::nullopt;
    } else if (variable->explode) {
      const char separator = template_operator(capture.step->expression->op).separator;
      if (!bindings.add(*variable, exploded_items(text, separator))) return std::nullopt;
    } else {
      if (!bindings.add(*variable, decode_characters(text))) return std::nullopt;
    }
  }
  return std::move(bindings).take();
}

}  // namespace

std::optional<TemplateValues> UriTemplate::match(std::string_view uri) const {
  if (uri.size() > kUriBytesMax) return std::nullopt;
  // Most templates of a server differ from a URI in their first literal.
  if (!parts_.empty()) {
    const auto* literal = std::get_if<std::string>(&parts_.front());
    if (literal != nullptr && !literal_end(uri, 0, *literal)) return std::nullopt;
  }
  const MatchProgram program = compile_match(parts_);
  const auto captures = Machine(program, uri).run();
  if (!captures) return std::nullopt;
  return bind(*captures, uri);
}

}  // namespace sluice

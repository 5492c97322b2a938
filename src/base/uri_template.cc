#include "sluice/base/uri_template.h"

#include <algorithm>

#include <fmt/format.h>

#include "sluice/base/limits.h"
#include "sluice/base/text.h"
#include "sluice/base/utf8.h"

#include "uri_characters.h"
#include "uri_template_operator.h"

namespace sluice {
namespace {

Error invalid_template(std::string_view what, std::string_view where) {
  return invalid_input(fmt::format("URI template has {}: {}", what, excerpt(where)))
      .with_code("invalid_template");
}

// Copies what may stand in a URI and escapes the rest. With `keep_reserved` an escape that is already there
// stays.
void append_encoded(std::string& out, std::string_view text, bool keep_reserved) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_unreserved(c) || (keep_reserved && (is_reserved(c) || escape_at(text, i)))) {
      out.push_back(c);
    } else {
      append_escape(out, c);
    }
  }
}

Result<std::string> parse_literal(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    // RFC 6570 section 2.1 leaves out the apostrophe, which RFC 3986 allows in a URI; real templates have it.
    const char c = text[i];
    if (is_unreserved(c) || is_reserved(c) || !is_ascii(c) || escape_at(text, i)) continue;
    if (c == '}') return invalid_template("a '}' without its '{'", text.substr(i));
    return invalid_template("a character that is not allowed in a URI", text.substr(i));
  }
  std::string literal;
  append_encoded(literal, text, true);
  return literal;
}

// varname = varchar *( ["."] varchar ), where a varchar is a letter, a digit, '_' or an escape.
bool is_variable_name(std::string_view name) {
  bool after_character = false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool escape = escape_at(name, i);
    if (escape || is_alpha(name[i]) || is_digit(name[i]) || name[i] == '_') {
      after_character = true;
      if (escape) i += 2;
    } else if (name[i] == '.' && after_character) {
      after_character = false;
    } else {
      return false;
    }
  }
  return after_character;
}

// max-length = a number from 1 to 9999, without leading zeros. 0 where it is not one.
std::size_t parse_prefix(std::string_view text) {
  constexpr std::size_t kDigitsMax = 4;
  if (text.empty() || text.size() > kDigitsMax || text[0] == '0') return 0;
  std::size_t number = 0;
  for (const char c : text) {
    if (!is_digit(c)) return 0;
    number = number * 10 + static_cast<std::size_t>(c - '0');
  }
  static_assert(kTemplatePrefixMax == 9'999, "what kDigitsMax digits can say");
  return number;
}

Result<UriTemplate::Variable> parse_variable(std::string_view text) {
  UriTemplate::Variable variable;
  std::string_view name = text;
  if (name.ends_with('*')) {
    variable.explode = true;
    name.remove_suffix(1);
  } else if (const std::size_t colon = name.find(':'); colon != std::string_view::npos) {
    variable.prefix_characters = parse_prefix(name.substr(colon + 1));
    if (variable.prefix_characters == 0) return invalid_template("a prefix that is not 1 to 9999", text);
    name = name.substr(0, colon);
  }
  if (!is_variable_name(name)) return invalid_template("a variable name that is not allowed", text);
  variable.name = name;
  return variable;
}

// `text` is what stands between the braces.
Result<UriTemplate::Expression> parse_expression(std::string_view text) {
  UriTemplate::Expression expression;
  if (text.empty()) return invalid_template("an empty expression", "{}");
  if (std::string_view("=,!@|").find(text[0]) != std::string_view::npos) {
    return invalid_template("an operator that RFC 6570 reserves", text);
  }
  if (std::string_view("+#./;?&").find(text[0]) != std::string_view::npos) {
    expression.op = text[0];
    text.remove_prefix(1);
  }
  for (;;) {  // Each turn takes one variable off `text`, which is at most kTemplateBytesMax long.
    const std::size_t comma = text.find(',');
    SLUICE_TRY(UriTemplate::Variable variable, parse_variable(text.substr(0, comma)));
    expression.variables.push_back(std::move(variable));
    if (comma == std::string_view::npos) return expression;
    text.remove_prefix(comma + 1);
  }
}

// Writes one expression: RFC 6570, section 3.2.1 and appendix A.
class Expander {
 public:
  Expander(std::string& out, const UriTemplate::Expression& expression)
      : out_(out), shape_(template_operator(expression.op)) {}

  void text(const UriTemplate::Variable& variable, std::string_view value) {
    if (variable.prefix_characters > 0) value = first_characters(value, variable.prefix_characters);
    begin_item();
    if (shape_.named) name(variable.name, value.empty());
    encoded(value);
  }

  void list(const UriTemplate::Variable& variable, const TemplateList& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (variable.explode) {
        text(variable, values[i]);
      } else {
        begin_joined(variable, i, values.size() == 1 && values[0].empty());
        encoded(values[i]);
      }
    }
  }

  void pairs(const UriTemplate::Variable& variable, const TemplatePairs& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto& [key, value] = values[i];
      if (variable.explode) {
        begin_item();
        encoded(key);
        if (!shape_.named || shape_.empty_equals || !value.empty()) out_ += '=';
      } else {
        begin_joined(variable, i, false);
        encoded(key);
        out_ += ',';
      }
      encoded(value);
    }
  }

 private:
  void begin_item() {
    if (!started_ && shape_.first != 0) out_ += shape_.first;
    if (started_) out_ += shape_.separator;
    started_ = true;
  }

  // Item number `index` of a value that is not exploded: its name comes once, its items are joined by commas.
  void begin_joined(const UriTemplate::Variable& variable, std::size_t index, bool all_empty) {
    if (index > 0) {
      out_ += ',';
      return;
    }
    begin_item();
    if (shape_.named) name(variable.name, all_empty);
  }

  void name(std::string_view name, bool value_is_empty) {
    out_ += name;
    if (!value_is_empty || shape_.empty_equals) out_ += '=';
  }

  void encoded(std::string_view value) { append_encoded(out_, value, shape_.reserved); }

  std::string& out_;
  TemplateOperator shape_;
  bool started_ = false;
};

Status expand_expression(const UriTemplate::Expression& expression, const TemplateValues& values,
                         std::string& out) {
  Expander expander(out, expression);
  for (const UriTemplate::Variable& variable : expression.variables) {
    const auto found = values.find(variable.name);
    if (found == values.end()) continue;
    const TemplateValue& value = found->second;
    if (const auto* text = std::get_if<std::string>(&value)) {
      expander.text(variable, *text);
    } else if (variable.prefix_characters > 0) {
      return invalid_input(fmt::format("a prefix applies to text only: {}", excerpt(variable.name)));
    } else if (const auto* list = std::get_if<TemplateList>(&value)) {
      expander.list(variable, *list);
    } else {
      expander.pairs(variable, std::get<TemplatePairs>(value));
    }
    if (out.size() > kUriBytesMax) return limit_reached("bytes in an expanded URI", kUriBytesMax);
  }
  return {};
}

}  // namespace

Result<UriTemplate> UriTemplate::parse(std::string_view text) {
  if (text.size() > kTemplateBytesMax) return limit_reached("bytes in a URI template", kTemplateBytesMax);
  if (!is_valid_utf8(text)) return invalid_template("bytes that are not UTF-8", text);
  UriTemplate made;
  made.text_ = text;
  std::size_t expressions = 0;
  std::size_t variables = 0;
  while (!text.empty()) {
    if (text[0] != '{') {
      const std::string_view literal = text.substr(0, text.find('{'));
      SLUICE_TRY(std::string encoded, parse_literal(literal));
      made.parts_.emplace_back(std::move(encoded));
      text.remove_prefix(literal.size());
      continue;
    }
    const std::size_t close = text.find('}');
    if (close == std::string_view::npos) return invalid_template("a '{' without its '}'", text);
    SLUICE_TRY(Expression expression, parse_expression(text.substr(1, close - 1)));
    text.remove_prefix(close + 1);
    variables += expression.variables.size();
    made.parts_.emplace_back(std::move(expression));
    if (++expressions > kTemplateExpressionsMax) {
      return limit_reached("expressions in a URI template", kTemplateExpressionsMax);
    }
    if (variables > kTemplateVariablesMax) {
      return limit_reached("variables in a URI template", kTemplateVariablesMax);
    }
  }
  return made;
}

std::vector<std::string> UriTemplate::variable_names() const {
  std::vector<std::string> names;
  for (const Part& part : parts_) {
    const auto* expression = std::get_if<Expression>(&part);
    if (expression == nullptr) continue;
    for (const Variable& variable : expression->variables) {
      if (std::find(names.begin(), names.end(), variable.name) == names.end()) names.push_back(variable.name);
    }
  }
  return names;
}

Result<std::string> UriTemplate::expand(const TemplateValues& values) const {
  std::string uri;
  for (const Part& part : parts_) {
    if (const auto* literal = std::get_if<std::string>(&part)) {
      uri += *literal;
    } else {
      SLUICE_CHECK(expand_expression(std::get<Expression>(part), values, uri));
    }
  }
  if (uri.size() > kUriBytesMax) return limit_reached("bytes in an expanded URI", kUriBytesMax);
  return uri;
}

}  // namespace sluice

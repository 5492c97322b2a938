#pragma once

namespace sluice {

// How an operator shapes its expression: the table of RFC 6570, appendix A.
struct TemplateOperator {
  char first = 0;             // Written before the first defined variable; 0: nothing.
  char separator = ',';       // Written between variables, and between the items of an exploded one.
  bool named = false;         // Values are written as name=value.
  bool empty_equals = false;  // A named empty value keeps its '='.
  bool reserved = false;      // Reserved characters and escapes stay as they are.
};

constexpr TemplateOperator template_operator(char op) {
  switch (op) {
    case '+':
      return {.reserved = true};
    case '#':
      return {.first = '#', .reserved = true};
    case '.':
      return {.first = '.', .separator = '.'};
    case '/':
      return {.first = '/', .separator = '/'};
    case ';':
      return {.first = ';', .separator = ';', .named = true};
    case '?':
      return {.first = '?', .separator = '&', .named = true, .empty_equals = true};
    case '&':
      return {.first = '&', .separator = '&', .named = true, .empty_equals = true};
    default:
      return {};
  }
}

}  // namespace sluice

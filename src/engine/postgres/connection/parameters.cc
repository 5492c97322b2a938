#include "connection/parameters.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

namespace sluice::engine::postgres {

namespace {

// Of pg_type; fixed for all servers.
constexpr Oid kUnknown = 0;
constexpr Oid kBoolean = 16;
constexpr Oid kBigint = 20;
constexpr Oid kDoublePrecision = 701;

struct Value {
  Oid type = kUnknown;
  std::optional<std::string> text;
};

struct ToValue {
  Value operator()(std::monostate) const { return {}; }
  Value operator()(bool value) const { return {kBoolean, value ? "t" : "f"}; }
  Value operator()(std::int64_t value) const { return {kBigint, std::to_string(value)}; }
  Value operator()(double value) const {
    if (std::isnan(value)) return {kDoublePrecision, "NaN"};
    if (std::isinf(value)) return {kDoublePrecision, value < 0 ? "-Infinity" : "Infinity"};
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof(digits), value).ptr;
    return {kDoublePrecision, std::string(digits, end)};
  }
  Value operator()(const std::string& text) const { return {kUnknown, text}; }
  Value operator()(const std::vector<std::string>& texts) const { return {kUnknown, array_text(texts)}; }
};

}  // namespace

std::string array_text(const std::vector<std::string>& items) {
  std::string out = "{";
  for (const std::string& item : items) {
    if (out.size() > 1) out += ',';
    out += '"';
    for (const char c : item) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    out += '"';
  }
  return out += '}';
}

Result<Values> values_of(const std::vector<Parameter>& parameters) {
  Values values;
  values.texts.reserve(parameters.size());
  for (const Parameter& parameter : parameters) {
    Value value = std::visit(ToValue{}, parameter);
    values.types.push_back(value.type);
    // PostgreSQL has no text with this character, and would see what stands before it only.
    if (value.text && value.text->find('\0') != std::string::npos) {
      return invalid_input("bind values: a text cannot hold the character U+0000").with_code("invalid_value");
    }
    values.texts.push_back(value.text.value_or(std::string()));
    values.pointers.push_back(value.text ? values.texts.back().c_str() : nullptr);
  }
  return values;
}

}  // namespace sluice::engine::postgres

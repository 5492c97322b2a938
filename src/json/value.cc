#include "sluice/json/value.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "sluice/json/writer.h"

namespace sluice::json {
namespace {

// A decimal number as sign, digits without zeros at either end, and the power of ten of its last digit.
struct Decimal {
  bool negative = false;
  std::string digits;  // Empty for zero.
  std::int64_t exponent = 0;

  friend bool operator==(const Decimal&, const Decimal&) = default;
};

Decimal parse_decimal(std::string_view text) {
  Decimal decimal;
  if (text.starts_with('-')) {
    decimal.negative = true;
    text.remove_prefix(1);
  }
  const std::size_t e = text.find_first_of("eE");
  if (e != std::string_view::npos) {
    std::string_view power = text.substr(e + 1);
    if (power.starts_with('+')) power.remove_prefix(1);
    const auto parsed = std::from_chars(power.data(), power.data() + power.size(), decimal.exponent);
    // An exponent of more than 18 digits: all such numbers are equally far away.
    constexpr std::int64_t kFar = 1'000'000'000'000'000'000;
    if (parsed.ec != std::errc{}) decimal.exponent = power.starts_with('-') ? -kFar : kFar;
    decimal.exponent = std::clamp(decimal.exponent, -kFar, kFar);
    text = text.substr(0, e);
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '.') {
      decimal.exponent -= static_cast<std::int64_t>(text.size() - i - 1);
    } else {
      decimal.digits.push_back(text[i]);
    }
  }
  const std::size_t last = decimal.digits.find_last_not_of('0');
  if (last == std::string::npos) return Decimal{};
  decimal.exponent += static_cast<std::int64_t>(decimal.digits.size() - last - 1);
  decimal.digits.erase(last + 1);
  decimal.digits.erase(0, decimal.digits.find_first_not_of('0'));
  return decimal;
}

using SortedMembers = std::vector<const Member*>;

SortedMembers sorted_by_key(const Object& object) {
  SortedMembers members;
  members.reserve(object.size());
  for (const Member& member : object) members.push_back(&member);
  std::sort(members.begin(), members.end(), [](const Member* a, const Member* b) { return a->key < b->key; });
  return members;
}

bool equal_objects(const Object& a, const Object& b) {
  constexpr std::size_t kFewKeys = 12;
  if (a.size() != b.size()) return false;
  if (a.size() <= kFewKeys) {
    return std::all_of(a.begin(), a.end(), [&](const Member& member) {
      const Value* other = b.find(member.key);
      return other != nullptr && equal(member.value, *other);
    });
  }
  // Looking up each key costs the square of their number, and a peer can send a hundred thousand.
  const SortedMembers left = sorted_by_key(a);
  const SortedMembers right = sorted_by_key(b);
  return std::equal(left.begin(), left.end(), right.begin(), [](const Member* x, const Member* y) {
    return x->key == y->key && equal(x->value, y->value);
  });
}

}  // namespace

std::optional<std::int64_t> Number::as_int64() const {
  std::int64_t direct = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), direct);
  if (parsed.ec == std::errc{} && parsed.ptr == text.data() + text.size()) return direct;
  const Decimal decimal = parse_decimal(text);
  constexpr std::int64_t kInt64Digits = 19;
  if (decimal.digits.empty()) return 0;
  if (decimal.exponent < 0 ||
      decimal.exponent + static_cast<std::int64_t>(decimal.digits.size()) > kInt64Digits)
    return std::nullopt;
  std::string whole = decimal.negative ? "-" : "";
  whole += decimal.digits;
  whole.append(static_cast<std::size_t>(decimal.exponent), '0');
  const auto again = std::from_chars(whole.data(), whole.data() + whole.size(), direct);
  if (again.ec != std::errc{}) return std::nullopt;
  return direct;
}

double Number::as_double() const {
  double value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec == std::errc::result_out_of_range) {
    // Out of range at either end: too small is zero, too large is infinite.
    const Decimal decimal = parse_decimal(text);
    const bool large = decimal.exponent + static_cast<std::int64_t>(decimal.digits.size()) > 0;
    value = large ? HUGE_VAL : 0.0;
    if (decimal.negative) value = -value;
  }
  return value;
}

bool Number::is_integer() const {
  const Decimal decimal = parse_decimal(text);
  return decimal.digits.empty() || decimal.exponent >= 0;
}

Object::Object() = default;
Object::Object(const Object&) = default;
Object::Object(Object&&) noexcept = default;
Object& Object::operator=(const Object&) = default;
Object& Object::operator=(Object&&) noexcept = default;
Object::~Object() = default;
Object::Object(std::initializer_list<Member> members) {
  for (const Member& member : members) set(member.key, member.value);
}

const Value* Object::find(std::string_view key) const {
  for (const Member& member : members_) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

Value* Object::find(std::string_view key) {
  for (Member& member : members_) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

void Object::set(std::string key, Value value) {
  if (Value* present = find(key)) {
    *present = std::move(value);
    return;
  }
  append_unchecked(std::move(key), std::move(value));
}

bool Object::erase(std::string_view key) {
  return std::erase_if(members_, [&](const Member& member) { return member.key == key; }) > 0;
}

void Object::append_unchecked(std::string key, Value value) {
  if (members_.capacity() == 0) members_.reserve(4);  // Most objects have a few members.
  members_.push_back(Member{.key = std::move(key), .value = std::move(value)});
}

std::size_t Object::size() const { return members_.size(); }
bool Object::empty() const { return members_.empty(); }

std::string_view to_string(Type type) {
  switch (type) {
    case Type::kNull:
      return "null";
    case Type::kBool:
      return "boolean";
    case Type::kNumber:
      return "number";
    case Type::kString:
      return "string";
    case Type::kArray:
      return "array";
    case Type::kObject:
      return "object";
  }
  return "null";
}

Value::Value(double value) {
  if (!std::isfinite(value)) return;
  std::string text(32, '\0');
  const auto written = std::to_chars(text.data(), text.data() + text.size(), value);
  text.resize(static_cast<std::size_t>(written.ptr - text.data()));
  data_ = Number{std::move(text)};
}

const Value* Value::find(std::string_view key) const {
  const Object* object = if_object();
  return object == nullptr ? nullptr : object->find(key);
}

bool equal(const Value& a, const Value& b) {
  if (a.type() != b.type()) return false;
  switch (a.type()) {
    case Type::kNull:
      return true;
    case Type::kBool:
      return *a.if_bool() == *b.if_bool();
    case Type::kString:
      return *a.if_string() == *b.if_string();
    case Type::kObject:
      return equal_objects(*a.if_object(), *b.if_object());
    case Type::kNumber:
      return a.if_number()->text == b.if_number()->text ||
             parse_decimal(a.if_number()->text) == parse_decimal(b.if_number()->text);
    case Type::kArray: {
      const Array& left = *a.if_array();
      const Array& right = *b.if_array();
      return std::equal(left.begin(), left.end(), right.begin(), right.end(), equal);
    }
  }
  return false;
}

std::string to_text(const Value& value) {
  Writer out;
  out.value(value);
  return std::move(out).take();
}

std::string to_text(const Object& object) { return to_text(Value(object)); }

}  // namespace sluice::json

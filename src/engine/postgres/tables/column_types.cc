#include "tables/column_types.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sluice::engine::postgres {

namespace {

constexpr std::string_view kPadded = "textin(bpcharout({}))";  // A cast to text would take the blanks off.
constexpr std::string_view kByBytes = "({} COLLATE \"C\")";

struct Known {
  std::string_view name;
  TypeId id;
};
constexpr std::array kKnown = {
    Known{"bool", TypeId::kBool},
    Known{"int2", TypeId::kInt16},
    Known{"int4", TypeId::kInt32},
    Known{"int8", TypeId::kInt64},
    Known{"oid", TypeId::kUInt32},
    Known{"float4", TypeId::kFloat},
    Known{"float8", TypeId::kDouble},
    Known{"text", TypeId::kText},
    Known{"varchar", TypeId::kText},
    Known{"bpchar", TypeId::kText},
    Known{"char", TypeId::kText},
    Known{"name", TypeId::kText},
    Known{"bytea", TypeId::kBlob},
    Known{"uuid", TypeId::kUuid},
    Known{"date", TypeId::kDate},
    Known{"time", TypeId::kTime},
    Known{"timetz", TypeId::kTimeTz},
    Known{"timestamp", TypeId::kTimestampUs},
    Known{"timestamptz", TypeId::kTimestampTz},
    Known{"interval", TypeId::kInterval},
};

std::optional<TypeId> known_type(std::string_view name) {
  for (const Known& known : kKnown) {
    if (known.name == name) return known.id;
  }
  return std::nullopt;
}

// numeric(p,s), whose scale may be below zero or above p; nothing where it has no bounds or too wide ones.
std::optional<Type> decimal_type(std::int32_t modifier) {
  if (modifier < 4) return std::nullopt;
  const auto bits = static_cast<std::uint32_t>(modifier - 4);
  const auto precision = static_cast<std::int32_t>(bits >> 16U);
  const std::int32_t scale = static_cast<std::int32_t>((bits & 0x7ffU) ^ 0x400U) - 0x400;  // 11 bits, signed.
  const std::int32_t width = scale < 0 ? precision - scale : std::max(precision, scale);
  if (width > kDecimalDigitsMax) return std::nullopt;
  return Type{.id = TypeId::kDecimal,
              .width = static_cast<std::uint8_t>(width),
              .scale = static_cast<std::uint8_t>(std::max(scale, 0))};
}

Type list_type(Type item) {
  return Type{.id = TypeId::kList, .fields = {Field{.name = "item", .type = std::move(item)}}};
}

}  // namespace

ColumnType column_type(const ServerType& type) {
  const Type text{.id = TypeId::kText};
  // Of other types, citext included, only the text compares as callers see it.
  if (!type.is_system) return {.type = text, .as_text = true, .needs_sample = false};
  if (type.name == "numeric") {
    const std::optional<Type> decimal = decimal_type(type.modifier);
    // Items without bounds are read as their texts.
    if (type.is_array)
      return {.type = list_type(decimal.value_or(text)), .as_text = false, .needs_sample = false};
    const bool is_bounded = type.modifier >= 4;
    return {.type = decimal.value_or(text), .as_text = is_bounded && !decimal, .needs_sample = !is_bounded};
  }
  const std::optional<TypeId> id = known_type(type.name);
  if (!id) return {.type = text, .as_text = true, .needs_sample = false};
  const Type scalar{.id = *id};
  if (type.is_array) return {.type = list_type(scalar), .as_text = false, .needs_sample = false};
  const std::string_view form = type.name == "bpchar" ? kPadded : type.is_blind ? kByBytes : "";
  return {.type = scalar, .as_text = false, .needs_sample = false, .form = form};
}

}  // namespace sluice::engine::postgres

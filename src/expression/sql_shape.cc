#include "sql_shape.h"

#include "sluice/base/text.h"

namespace sluice::expression {

Shape Shape::of(const engine::Type& type) {
  Shape out;
  out.is_nested = engine::is_nested(type.id);
  out.type = &type;
  return out;
}

Shape Shape::member(std::string_view name) const {
  if (type == nullptr) return *this;
  if (type->id == engine::TypeId::kStruct) {
    for (const engine::Field& field : type->fields) {
      if (!equal_ignoring_case(field.name, name)) continue;
      Shape out = *this;
      out.is_nested = engine::is_nested(field.type.id);
      out.type = &field.type;
      return out;
    }
  }
  Shape out = *this;
  out.type = nullptr;
  return out;
}

Shape Shape::element() const {
  Shape out = *this;
  out.type = nullptr;
  out.is_nested = is_nested && !has_plain_elements;
  out.has_plain_elements = false;
  if (type == nullptr || (type->id != engine::TypeId::kList && type->id != engine::TypeId::kArray))
    return out;
  out.type = &type->fields.front().type;
  out.is_nested = engine::is_nested(out.type->id);
  return out;
}

Shape ColumnShapes::of(const std::string& name) const {
  const auto found = named.find(name);
  if (found == named.end()) return others;
  return others.is_plain() ? found->second : found->second | others;
}

Shape ColumnShapes::all() const {
  Shape out = others;
  for (const auto& [name, shape] : named) out = out | shape;
  return out;
}

void ColumnShapes::add(const std::string& name, const Shape& shape) {
  const auto [at, is_new] = named.emplace(name, shape);
  if (!is_new) at->second = at->second | shape;
}

void ColumnShapes::add(const ColumnShapes& other) {
  for (const auto& [name, shape] : other.named) add(name, shape);
  others = others | other.others;
}

}  // namespace sluice::expression

#include "types.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "sluice/engine/source.h"

namespace sluice::engine::duck {

namespace {

constexpr std::array kIds = {
    std::pair{DUCKDB_TYPE_BOOLEAN, TypeId::kBool},
    std::pair{DUCKDB_TYPE_TINYINT, TypeId::kInt8},
    std::pair{DUCKDB_TYPE_SMALLINT, TypeId::kInt16},
    std::pair{DUCKDB_TYPE_INTEGER, TypeId::kInt32},
    std::pair{DUCKDB_TYPE_BIGINT, TypeId::kInt64},
    std::pair{DUCKDB_TYPE_HUGEINT, TypeId::kInt128},
    std::pair{DUCKDB_TYPE_UTINYINT, TypeId::kUInt8},
    std::pair{DUCKDB_TYPE_USMALLINT, TypeId::kUInt16},
    std::pair{DUCKDB_TYPE_UINTEGER, TypeId::kUInt32},
    std::pair{DUCKDB_TYPE_UBIGINT, TypeId::kUInt64},
    std::pair{DUCKDB_TYPE_UHUGEINT, TypeId::kUInt128},
    std::pair{DUCKDB_TYPE_FLOAT, TypeId::kFloat},
    std::pair{DUCKDB_TYPE_DOUBLE, TypeId::kDouble},
    std::pair{DUCKDB_TYPE_DECIMAL, TypeId::kDecimal},
    std::pair{DUCKDB_TYPE_DATE, TypeId::kDate},
    std::pair{DUCKDB_TYPE_TIME, TypeId::kTime},
    std::pair{DUCKDB_TYPE_TIME_NS, TypeId::kTimeNs},
    std::pair{DUCKDB_TYPE_TIME_TZ, TypeId::kTimeTz},
    std::pair{DUCKDB_TYPE_TIMESTAMP_S, TypeId::kTimestampS},
    std::pair{DUCKDB_TYPE_TIMESTAMP_MS, TypeId::kTimestampMs},
    std::pair{DUCKDB_TYPE_TIMESTAMP, TypeId::kTimestampUs},
    std::pair{DUCKDB_TYPE_TIMESTAMP_NS, TypeId::kTimestampNs},
    std::pair{DUCKDB_TYPE_TIMESTAMP_TZ, TypeId::kTimestampTz},
    std::pair{DUCKDB_TYPE_INTERVAL, TypeId::kInterval},
    std::pair{DUCKDB_TYPE_UUID, TypeId::kUuid},
    std::pair{DUCKDB_TYPE_VARCHAR, TypeId::kText},
    std::pair{DUCKDB_TYPE_BLOB, TypeId::kBlob},
    std::pair{DUCKDB_TYPE_BIT, TypeId::kBit},
    std::pair{DUCKDB_TYPE_BIGNUM, TypeId::kBignum},
    std::pair{DUCKDB_TYPE_ENUM, TypeId::kEnum},
    std::pair{DUCKDB_TYPE_LIST, TypeId::kList},
    std::pair{DUCKDB_TYPE_ARRAY, TypeId::kArray},
    std::pair{DUCKDB_TYPE_STRUCT, TypeId::kStruct},
    std::pair{DUCKDB_TYPE_MAP, TypeId::kMap},
    std::pair{DUCKDB_TYPE_UNION, TypeId::kUnion},
    std::pair{DUCKDB_TYPE_SQLNULL, TypeId::kNull},
};

TypeId id_of(duckdb_type type) {
  for (const auto& [theirs, ours] : kIds) {
    if (theirs == type) return ours;
  }
  return TypeId::kOther;
}

Field child(std::string name, duckdb_logical_type logical) {
  const LogicalType owned(logical);
  return Field{.name = std::move(name), .type = type_of(owned.get())};
}

void add_members(Type& type, duckdb_logical_type logical) {
  switch (type.id) {
    case TypeId::kDecimal:
      type.width = duckdb_decimal_width(logical);
      type.scale = duckdb_decimal_scale(logical);
      break;
    case TypeId::kEnum:
      for (idx_t i = 0; i < duckdb_enum_dictionary_size(logical); ++i) {
        type.labels.emplace_back(Text(duckdb_enum_dictionary_value(logical, i)).get());
      }
      break;
    case TypeId::kList:
      type.fields.push_back(child("", duckdb_list_type_child_type(logical)));
      break;
    case TypeId::kArray:
      type.array_size = duckdb_array_type_array_size(logical);
      type.fields.push_back(child("", duckdb_array_type_child_type(logical)));
      break;
    case TypeId::kMap:
      type.fields.push_back(child("key", duckdb_map_type_key_type(logical)));
      type.fields.push_back(child("value", duckdb_map_type_value_type(logical)));
      break;
    case TypeId::kStruct:
      for (idx_t i = 0; i < duckdb_struct_type_child_count(logical); ++i) {
        type.fields.push_back(child(Text(duckdb_struct_type_child_name(logical, i)).get(),
                                    duckdb_struct_type_child_type(logical, i)));
      }
      break;
    case TypeId::kUnion:
      for (idx_t i = 0; i < duckdb_union_type_member_count(logical); ++i) {
        type.fields.push_back(child(Text(duckdb_union_type_member_name(logical, i)).get(),
                                    duckdb_union_type_member_type(logical, i)));
      }
      break;
    default:
      break;
  }
}

const Type& tag_type() {
  static const Type type{.id = TypeId::kUInt8};
  return type;
}

}  // namespace

Type type_of(duckdb_logical_type logical) {
  Type type{.id = id_of(duckdb_get_type_id(logical))};
  add_members(type, logical);
  return type;
}

namespace {

LogicalType struct_type_of(const Type& type) {
  std::vector<LogicalType> members;
  std::vector<duckdb_logical_type> types;
  std::vector<const char*> names;
  for (const Field& field : type.fields) {
    members.push_back(logical_type_of(field.type));
    if (!members.back()) return nullptr;
    types.push_back(members.back().get());
    names.push_back(field.name.c_str());
  }
  return LogicalType(duckdb_create_struct_type(types.data(), names.data(), types.size()));
}

}  // namespace

LogicalType logical_type_of(const Type& type) {
  switch (type.id) {
    case TypeId::kDecimal:
      return LogicalType(duckdb_create_decimal_type(type.width, type.scale));
    case TypeId::kList: {
      const LogicalType child = logical_type_of(type.fields.front().type);
      return LogicalType(child ? duckdb_create_list_type(child.get()) : nullptr);
    }
    case TypeId::kArray: {
      const LogicalType child = logical_type_of(type.fields.front().type);
      return LogicalType(child ? duckdb_create_array_type(child.get(), type.array_size) : nullptr);
    }
    case TypeId::kMap: {
      const LogicalType key = logical_type_of(type.fields.front().type);
      const LogicalType value = logical_type_of(type.fields.back().type);
      return LogicalType(key && value ? duckdb_create_map_type(key.get(), value.get()) : nullptr);
    }
    case TypeId::kStruct:
      return struct_type_of(type);
    default:
      break;
  }
  if (!is_readable(type)) return nullptr;
  for (const auto& [theirs, ours] : kIds) {
    if (ours == type.id) return LogicalType(duckdb_create_logical_type(theirs));
  }
  return nullptr;
}

Column column_of(duckdb_vector vector, const Type& type) {
  Column column{.type = &type,
                .cells = static_cast<const std::byte*>(duckdb_vector_get_data(vector)),
                .valid = duckdb_vector_get_validity(vector)};
  switch (type.id) {
    case TypeId::kList:
      column.children.push_back(column_of(duckdb_list_vector_get_child(vector), type.fields.front().type));
      break;
    case TypeId::kArray:
      column.children.push_back(column_of(duckdb_array_vector_get_child(vector), type.fields.front().type));
      break;
    case TypeId::kMap: {
      const duckdb_vector entries = duckdb_list_vector_get_child(vector);
      column.children.push_back(
          column_of(duckdb_struct_vector_get_child(entries, 0), type.fields.front().type));
      column.children.push_back(
          column_of(duckdb_struct_vector_get_child(entries, 1), type.fields.back().type));
      break;
    }
    case TypeId::kStruct:
      for (std::size_t i = 0; i < type.fields.size(); ++i) {
        column.children.push_back(column_of(duckdb_struct_vector_get_child(vector, i), type.fields[i].type));
      }
      break;
    case TypeId::kUnion:
      column.children.push_back(column_of(duckdb_struct_vector_get_child(vector, 0), tag_type()));
      for (std::size_t i = 0; i < type.fields.size(); ++i) {
        column.children.push_back(
            column_of(duckdb_struct_vector_get_child(vector, i + 1), type.fields[i].type));
      }
      break;
    default:
      break;
  }
  return column;
}

void set_null(duckdb_vector vector, idx_t row) {
  duckdb_vector_ensure_validity_writable(vector);
  duckdb_validity_set_row_invalid(duckdb_vector_get_validity(vector), row);
}

}  // namespace sluice::engine::duck

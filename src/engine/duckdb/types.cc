#include "duckdb/types.h"

#include <string>
#include <utility>

namespace sluice::engine::duck {

namespace {

TypeId id_of(duckdb_type type) {
  switch (type) {
    case DUCKDB_TYPE_BOOLEAN:
      return TypeId::kBool;
    case DUCKDB_TYPE_TINYINT:
      return TypeId::kInt8;
    case DUCKDB_TYPE_SMALLINT:
      return TypeId::kInt16;
    case DUCKDB_TYPE_INTEGER:
      return TypeId::kInt32;
    case DUCKDB_TYPE_BIGINT:
      return TypeId::kInt64;
    case DUCKDB_TYPE_HUGEINT:
      return TypeId::kInt128;
    case DUCKDB_TYPE_UTINYINT:
      return TypeId::kUInt8;
    case DUCKDB_TYPE_USMALLINT:
      return TypeId::kUInt16;
    case DUCKDB_TYPE_UINTEGER:
      return TypeId::kUInt32;
    case DUCKDB_TYPE_UBIGINT:
      return TypeId::kUInt64;
    case DUCKDB_TYPE_UHUGEINT:
      return TypeId::kUInt128;
    case DUCKDB_TYPE_FLOAT:
      return TypeId::kFloat;
    case DUCKDB_TYPE_DOUBLE:
      return TypeId::kDouble;
    case DUCKDB_TYPE_DECIMAL:
      return TypeId::kDecimal;
    case DUCKDB_TYPE_DATE:
      return TypeId::kDate;
    case DUCKDB_TYPE_TIME:
      return TypeId::kTime;
    case DUCKDB_TYPE_TIME_NS:
      return TypeId::kTimeNs;
    case DUCKDB_TYPE_TIME_TZ:
      return TypeId::kTimeTz;
    case DUCKDB_TYPE_TIMESTAMP_S:
      return TypeId::kTimestampS;
    case DUCKDB_TYPE_TIMESTAMP_MS:
      return TypeId::kTimestampMs;
    case DUCKDB_TYPE_TIMESTAMP:
      return TypeId::kTimestampUs;
    case DUCKDB_TYPE_TIMESTAMP_NS:
      return TypeId::kTimestampNs;
    case DUCKDB_TYPE_TIMESTAMP_TZ:
      return TypeId::kTimestampTz;
    case DUCKDB_TYPE_INTERVAL:
      return TypeId::kInterval;
    case DUCKDB_TYPE_UUID:
      return TypeId::kUuid;
    case DUCKDB_TYPE_VARCHAR:
      return TypeId::kText;
    case DUCKDB_TYPE_BLOB:
      return TypeId::kBlob;
    case DUCKDB_TYPE_BIT:
      return TypeId::kBit;
    case DUCKDB_TYPE_BIGNUM:
      return TypeId::kBignum;
    case DUCKDB_TYPE_ENUM:
      return TypeId::kEnum;
    case DUCKDB_TYPE_LIST:
      return TypeId::kList;
    case DUCKDB_TYPE_ARRAY:
      return TypeId::kArray;
    case DUCKDB_TYPE_STRUCT:
      return TypeId::kStruct;
    case DUCKDB_TYPE_MAP:
      return TypeId::kMap;
    case DUCKDB_TYPE_UNION:
      return TypeId::kUnion;
    case DUCKDB_TYPE_SQLNULL:
      return TypeId::kNull;
    default:
      return TypeId::kOther;
  }
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

}  // namespace sluice::engine::duck

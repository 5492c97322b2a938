#include "arrow_format.h"

#include <flatbuffers/flatbuffers.h>

namespace sluice::render::arrow {

namespace {

using engine::Field;
using engine::Type;
using engine::TypeId;
using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using Offsets = std::vector<Offset<void>>;

constexpr std::int16_t kVersion5 = 4;
constexpr std::uint8_t kSchemaHeader = 1;
constexpr std::uint8_t kRecordBatchHeader = 3;

// Where a flatbuffer's table keeps its n-th field.
constexpr flatbuffers::voffset_t slot(int field) {
  return static_cast<flatbuffers::voffset_t>(4 + 2 * field);
}

// One table at a time: what it points to is made before.
class Table {
 public:
  explicit Table(FlatBufferBuilder& builder) : builder_(builder), start_(builder.StartTable()) {}
  template <typename T>
  Table& add(int field, T value) {
    builder_.AddElement<T>(slot(field), value);
    return *this;
  }
  template <typename T>
  Table& refer(int field, Offset<T> to) {
    builder_.AddOffset(slot(field), to);
    return *this;
  }
  Offset<void> end() { return Offset<void>(builder_.EndTable(start_)); }

 private:
  FlatBufferBuilder& builder_;
  flatbuffers::uoffset_t start_;
};

struct IntWidth {
  std::int32_t bits;
  bool is_signed;
};
IntWidth int_width(TypeId id) {
  switch (id) {
    case TypeId::kInt8:
      return {8, true};
    case TypeId::kInt16:
      return {16, true};
    case TypeId::kInt32:
      return {32, true};
    case TypeId::kUInt8:
      return {8, false};
    case TypeId::kUInt16:
      return {16, false};
    case TypeId::kUInt32:
      return {32, false};
    case TypeId::kUInt64:
      return {64, false};
    default:
      return {64, true};
  }
}

enum Unit : std::int16_t { kSecond = 0, kMillisecond = 1, kMicrosecond = 2, kNanosecond = 3 };
std::int16_t unit_of(TypeId id) {
  switch (id) {
    case TypeId::kTimestampS:
      return kSecond;
    case TypeId::kTimestampMs:
      return kMillisecond;
    case TypeId::kTimestampNs:
    case TypeId::kTimeNs:
      return kNanosecond;
    default:
      return kMicrosecond;
  }
}

Offset<void> type_table(FlatBufferBuilder& builder, const Type& type) {
  constexpr std::int16_t kSingle = 1;
  constexpr std::int16_t kDouble = 2;
  constexpr std::int16_t kDay = 0;
  const bool has_zone = type.id == TypeId::kTimestampTz;
  const Offset<flatbuffers::String> zone =
      has_zone ? builder.CreateString("UTC") : Offset<flatbuffers::String>();
  Table table(builder);
  switch (kind_of(type.id)) {
    case Kind::kInt:
      table.add<std::int32_t>(0, int_width(type.id).bits).add<std::uint8_t>(1, int_width(type.id).is_signed);
      break;
    case Kind::kFloat:
      table.add<std::int16_t>(0, type.id == TypeId::kFloat ? kSingle : kDouble);
      break;
    case Kind::kDecimal:
      table.add<std::int32_t>(0, type.width).add<std::int32_t>(1, type.scale).add<std::int32_t>(2, 128);
      break;
    case Kind::kDate:
      table.add<std::int16_t>(0, kDay);
      break;
    case Kind::kTime:
      table.add<std::int16_t>(0, unit_of(type.id)).add<std::int32_t>(1, 64);
      break;
    case Kind::kTimestamp:
      table.add<std::int16_t>(0, unit_of(type.id));
      if (has_zone) table.refer(1, zone);
      break;
    case Kind::kFixedSizeList:
      table.add<std::int32_t>(0, static_cast<std::int32_t>(type.array_size));
      break;
    case Kind::kBinary:
    case Kind::kText:
    case Kind::kBool:
    case Kind::kList:
    case Kind::kStruct:
      break;
  }
  return table.end();
}

bool has_children(Kind kind) {
  return kind == Kind::kList || kind == Kind::kStruct || kind == Kind::kFixedSizeList;
}

Offset<void> field_table(FlatBufferBuilder& builder, const Field& field, const char* unnamed) {
  const Kind kind = kind_of(field.type.id);
  Offsets children;
  if (has_children(kind)) {
    for (const Field& child : field.type.fields) children.push_back(field_table(builder, child, "item"));
  }
  const auto name = builder.CreateString(field.name.empty() ? std::string(unnamed) : field.name);
  const auto list = builder.CreateVector(children);
  const Offset<void> type = type_table(builder, field.type);
  return Table(builder)
      .refer(0, name)
      .add<std::uint8_t>(1, 1)
      .add<std::uint8_t>(2, static_cast<std::uint8_t>(kind))
      .refer(3, type)
      .refer(5, list)
      .end();
}

Offset<void> schema_table(FlatBufferBuilder& builder, const std::vector<Field>& columns) {
  Offsets fields;
  for (const Field& column : columns) fields.push_back(field_table(builder, column, ""));
  const auto list = builder.CreateVector(fields);
  return Table(builder).add<std::int16_t>(0, 0).refer(1, list).end();
}

std::string message(FlatBufferBuilder& builder, std::uint8_t header_type, Offset<void> header,
                    std::int64_t body_bytes) {
  const Offset<void> root = Table(builder)
                                .add<std::int16_t>(0, kVersion5)
                                .add<std::uint8_t>(1, header_type)
                                .refer(2, header)
                                .add<std::int64_t>(3, body_bytes)
                                .end();
  builder.Finish(root);
  return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

}  // namespace

Kind kind_of(TypeId id) {
  switch (id) {
    case TypeId::kBool:
      return Kind::kBool;
    case TypeId::kInt8:
    case TypeId::kInt16:
    case TypeId::kInt32:
    case TypeId::kInt64:
    case TypeId::kUInt8:
    case TypeId::kUInt16:
    case TypeId::kUInt32:
    case TypeId::kUInt64:
      return Kind::kInt;
    case TypeId::kFloat:
    case TypeId::kDouble:
      return Kind::kFloat;
    case TypeId::kDecimal:
      return Kind::kDecimal;
    case TypeId::kDate:
      return Kind::kDate;
    case TypeId::kTime:
    case TypeId::kTimeNs:
      return Kind::kTime;
    case TypeId::kTimestampS:
    case TypeId::kTimestampMs:
    case TypeId::kTimestampUs:
    case TypeId::kTimestampNs:
    case TypeId::kTimestampTz:
      return Kind::kTimestamp;
    case TypeId::kBlob:
      return Kind::kBinary;
    case TypeId::kList:
      return Kind::kList;
    case TypeId::kArray:
      return Kind::kFixedSizeList;
    case TypeId::kStruct:
      return Kind::kStruct;
    default:
      return Kind::kText;
  }
}

std::string schema_message(const std::vector<Field>& columns) {
  FlatBufferBuilder builder;
  const Offset<void> schema = schema_table(builder, columns);
  return message(builder, kSchemaHeader, schema, 0);
}

std::string batch_message(std::int64_t rows, std::span<const Node> nodes, std::span<const Buffer> buffers,
                          std::int64_t body_bytes) {
  FlatBufferBuilder builder;
  const auto node_list = builder.CreateVectorOfStructs(nodes.data(), nodes.size());
  const auto buffer_list = builder.CreateVectorOfStructs(buffers.data(), buffers.size());
  const Offset<void> batch =
      Table(builder).add<std::int64_t>(0, rows).refer(1, node_list).refer(2, buffer_list).end();
  return message(builder, kRecordBatchHeader, batch, body_bytes);
}

std::string footer(const std::vector<Field>& columns, std::span<const Block> blocks) {
  FlatBufferBuilder builder;
  const Offset<void> schema = schema_table(builder, columns);
  const auto none = builder.CreateVectorOfStructs<Block>(nullptr, 0);
  const auto batches = builder.CreateVectorOfStructs(blocks.data(), blocks.size());
  builder.Finish(
      Table(builder).add<std::int16_t>(0, kVersion5).refer(1, schema).refer(2, none).refer(3, batches).end());
  return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

}  // namespace sluice::render::arrow

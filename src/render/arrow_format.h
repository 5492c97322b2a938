#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sluice/engine/type.h"

// The metadata of Arrow's files, as flatbuffers. What a number stands for is in Arrow's format/Schema.fbs,
// Message.fbs and File.fbs; there is no generated code, because the writer needs a dozen tables of them.
namespace sluice::render::arrow {

enum class Kind : std::uint8_t {  // Arrow's union `Type`.
  kInt = 2,
  kFloat = 3,
  kBinary = 4,
  kText = 5,
  kBool = 6,
  kDecimal = 7,
  kDate = 8,
  kTime = 9,
  kTimestamp = 10,
  kList = 12,
  kStruct = 13,
  kFixedSizeList = 16,
};

// The Arrow type of ours; kText for what has none.
Kind kind_of(engine::TypeId id);

struct Node {  // Of one column or part of one, in the order of the schema.
  std::int64_t rows;
  std::int64_t nulls;
};
struct Buffer {
  std::int64_t offset;
  std::int64_t bytes;
};
struct Block {
  std::int64_t offset;
  std::int32_t metadata_bytes;
  std::int32_t padding;
  std::int64_t body_bytes;
};

std::string schema_message(const std::vector<engine::Field>& columns);
std::string batch_message(std::int64_t rows, std::span<const Node> nodes, std::span<const Buffer> buffers,
                          std::int64_t body_bytes);
std::string footer(const std::vector<engine::Field>& columns, std::span<const Block> blocks);

}  // namespace sluice::render::arrow

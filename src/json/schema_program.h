#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sluice/base/limits.h"
#include "sluice/json/value.h"

#include "schema_format.h"
#include "schema_number.h"
#include "schema_pattern.h"

namespace sluice::json {

inline constexpr std::size_t kSchemaNodesMax = 10'000;
inline constexpr std::size_t kSchemaNestingMax = 64;
inline constexpr std::size_t kSchemaPatternsMax = 256;
inline constexpr std::size_t kSchemaPatternBytesMax = 4096;
inline constexpr std::int64_t kSchemaPatternMemoryBytesMax = 1024 * 1024;
inline constexpr std::size_t kSchemaStepsMax = 1'000'000;
inline constexpr std::size_t kSchemaBytesPerStep = 64;  // What reading text costs, against visiting a node.
inline constexpr std::size_t kSchemaKeysPerStep = 16;   // What a pass over the keys of an object costs.
inline constexpr std::size_t kSchemaRecursionMax = 512;
inline constexpr std::size_t kSchemaProblemsMax = 8;
inline constexpr std::size_t kSchemaChoicesNamed = 12;  // Of a longer enum, a message names the first few.
static_assert(kJsonValuesMax * 2 < kSchemaStepsMax,
              "any message must fit a schema that visits each value twice");
static_assert(kSchemaRecursionMax >= 8 * kJsonDepthMax,
              "a level of the value may pass through several $refs");

using SchemaNodeIndex = std::uint32_t;
using SchemaPatternIndex = std::uint32_t;
using SchemaResourceIndex = std::uint32_t;
inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();  // Of any of the three.
inline constexpr std::uint64_t kUnbounded = std::numeric_limits<std::uint64_t>::max();

// The seven types of JSON Schema as bits; 0 allows any.
enum class SchemaType : std::uint8_t {
  kNull = 1,
  kBoolean = 2,
  kInteger = 4,
  kNumber = 8,
  kString = 16,
  kArray = 32,
  kObject = 64,
};
using SchemaTypes = std::uint8_t;

struct CountRange {
  std::uint64_t min = 0;
  std::uint64_t max = kUnbounded;

  bool contains(std::uint64_t count) const { return min <= count && count <= max; }
};

struct NumberRule {
  enum class Kind : std::uint8_t { kMinimum, kMaximum, kExclusiveMinimum, kExclusiveMaximum, kMultipleOf };
  Kind kind;
  ExactNumber limit;
  std::string text;  // The limit as the schema writes it.
};

struct StringRules {
  CountRange characters;
  SchemaPatternIndex pattern = kNone;
  SchemaFormat format = SchemaFormat::kNone;
};

struct ArrayRules {
  std::vector<SchemaNodeIndex> prefix_items;
  SchemaNodeIndex items = kNone;  // Of what follows the prefix.
  SchemaNodeIndex contains = kNone;
  CountRange contains_count{.min = 1, .max = kUnbounded};
  SchemaNodeIndex unevaluated = kNone;
  CountRange size;
  bool unique = false;
};

struct ObjectRules {
  struct Property {
    std::string name;
    SchemaNodeIndex node;
  };
  struct PatternProperty {
    SchemaPatternIndex pattern;
    SchemaNodeIndex node;
  };
  struct DependentRequired {
    std::string name;
    std::vector<std::string> required;
  };
  std::vector<Property> properties;  // Sorted by name.
  std::vector<PatternProperty> pattern_properties;
  SchemaNodeIndex additional = kNone;
  SchemaNodeIndex names = kNone;
  SchemaNodeIndex unevaluated = kNone;
  std::vector<std::string> required;
  std::vector<DependentRequired> dependent_required;
  std::vector<Property> dependent_schemas;
  CountRange size;

  const Property* find(std::string_view name) const;
  bool looks_at_members() const {
    return !properties.empty() || !pattern_properties.empty() || additional != kNone || names != kNone;
  }
};

// One schema. A rule that is absent has the value that allows everything.
struct SchemaNode {
  bool never = false;  // The schema `false`.
  SchemaResourceIndex resource = 0;
  SchemaTypes types = 0;
  std::optional<Value> constant;
  std::optional<Array> choices;
  std::vector<NumberRule> number;
  StringRules string;
  ArrayRules array;
  ObjectRules object;

  SchemaNodeIndex ref = kNone;
  SchemaNodeIndex dynamic_ref = kNone;  // Where it leads unless an outer resource has the anchor.
  std::string dynamic_anchor;  // The anchor to look for; empty where the reference is static after all.
  std::vector<SchemaNodeIndex> all_of;
  std::vector<SchemaNodeIndex> any_of;
  std::vector<SchemaNodeIndex> one_of;
  SchemaNodeIndex negated = kNone;
  SchemaNodeIndex condition = kNone;
  SchemaNodeIndex consequence = kNone;
  SchemaNodeIndex alternative = kNone;
};

// A part of the document with a URI of its own ($id); the first one is the whole document.
struct SchemaResource {
  std::vector<std::pair<std::string, SchemaNodeIndex>> dynamic_anchors;
};

struct SchemaProgram {
  std::vector<SchemaNode> nodes;  // The first one is the root.
  std::vector<SchemaResource> resources;
  std::vector<SchemaPattern> patterns;
};

}  // namespace sluice::json

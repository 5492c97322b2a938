#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/json/schema.h"

#include "schema_program.h"

namespace sluice::json {

// Turns a schema into a program in two steps. Declaring walks the document, gives every schema its node and
// records what can be referred to; filling then translates the keywords, when every reference has something
// to lead to.
class SchemaCompiler {
 public:
  SchemaCompiler(const Value& document, const CompileOptions& options)
      : document_(document), options_(options) {}

  Result<SchemaProgram> run();

 private:
  enum class Dialect : std::uint8_t { k2020, kDraft07 };

  // Where a schema stands.
  struct Position {
    std::string pointer;  // "#/properties/id"
    SchemaResourceIndex resource = 0;
    Dialect dialect = Dialect::k2020;
    std::size_t depth = 0;
  };
  // What filling needs to know of a node.
  struct Draft {
    const Value* source;  // Inside `document_`.
    Position at;

    const Value* find(std::string_view keyword) const;
  };
  struct Resource {
    std::string uri;
    const Value* root;
    std::map<std::string, SchemaNodeIndex, std::less<>> anchors;
  };

  // schema_compile.cc
  Result<SchemaNodeIndex> declare(const Value& schema, Position at);
  Status declare_children(const Object& schema, const Position& at);
  Status declare_child(const Value& schema, const Position& parent, std::string_view step);
  Status declare_list(const Value& schemas, const Position& parent, std::string_view keyword);
  Status declare_map(const Value& schemas, const Position& parent, std::string_view keyword);
  Status enter_dialect(const Object& schema, Position& at) const;
  Status enter_resource(const Value& schema, Position& at, SchemaNodeIndex node);
  Status declare_anchors(const Object& schema, const Position& at, SchemaNodeIndex node);

  // schema_reference.cc
  Result<SchemaNodeIndex> resolve(const Draft& draft, std::string_view keyword, std::string_view reference);
  Result<SchemaNodeIndex> resolve_pointer(SchemaResourceIndex resource, std::string_view pointer);
  Status fill_references(const Draft& draft, SchemaNode& node);

  // schema_keywords.cc
  Status fill(SchemaNodeIndex index);
  Status fill_any(const Draft& draft, SchemaNode& node);
  Status fill_number(const Draft& draft, SchemaNode& node);
  Status fill_string(const Draft& draft, SchemaNode& node);
  Status fill_array(const Draft& draft, SchemaNode& node);
  Status fill_object(const Draft& draft, SchemaNode& node);
  Status fill_dependencies(const Draft& draft, SchemaNode& node);
  void fill_logic(const Draft& draft, SchemaNode& node);
  Status read_count(const Draft& draft, std::string_view keyword, std::uint64_t& count);
  Status read_names(const Draft& draft, std::string_view keyword, const Value& names,
                    std::vector<std::string>& out);
  Result<SchemaPatternIndex> pattern_of(const Draft& draft, std::string_view keyword,
                                        const std::string& source);
  SchemaNodeIndex child(const Draft& draft, std::string_view keyword) const;
  std::vector<SchemaNodeIndex> children(const Draft& draft, std::string_view keyword) const;
  std::vector<ObjectRules::Property> sorted_children(const Draft& draft, std::string_view keyword) const;

  const Value& document_;
  CompileOptions options_;
  SchemaProgram program_;
  std::vector<Draft> drafts_;  // One for each node of the program.
  std::vector<Resource> resources_;
  std::map<std::string, SchemaResourceIndex, std::less<>> resource_of_;
  std::unordered_map<const Value*, SchemaNodeIndex> node_of_;
  std::map<std::string, SchemaPatternIndex, std::less<>> pattern_of_;
};

// "schema at #/properties/id: <message>".
Error schema_error(std::string_view pointer, std::string_view message);
// "schema at #/properties/id/minimum: expected a number, got a string".
Error keyword_error(std::string_view pointer, std::string_view keyword, std::string_view expected,
                    const Value& got);
// A key as a step of a JSON pointer: "/a~1b".
std::string pointer_step(std::string_view key);

}  // namespace sluice::json

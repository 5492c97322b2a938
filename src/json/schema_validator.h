#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/json/schema.h"

#include "schema_message.h"
#include "schema_program.h"

namespace sluice::json {

// One run of a program over one value. A quiet pass decides, and stops at the first thing that is wrong; only
// where it finds one, a second pass goes over the whole value and words the problems.
class SchemaValidator {
 public:
  SchemaValidator(const SchemaProgram& program, std::string_view root) : program_(program), root_(root) {}

  std::vector<SchemaProblem> run(const Value& instance);

 private:
  // A step from the root of the value to where we are. The chain lives on the stack of the walk.
  struct Place {
    const Place* parent = nullptr;
    const std::string* key = nullptr;  // Null for an item of an array and for the root.
    std::size_t index = 0;
  };
  // A resource that the walk has entered and not left, for $dynamicRef.
  struct Scope {
    const Scope* outer = nullptr;
    SchemaResourceIndex resource = 0;
  };
  // Which members or items of the value at hand some schema has looked at, for unevaluatedProperties and
  // -Items.
  using Marks = std::vector<bool>;

  struct Cursor {
    const Value& value;
    const Place& place;
    const Scope& scope;
    Marks* marks = nullptr;  // Null where nobody asks.
    std::size_t depth = 0;
  };

  // How far a problem takes a value from a schema: of several alternatives, the problems of the nearest are
  // told.
  enum class Weight : std::uint8_t { kUsual = 1, kMissing = 2, kWrongChoice = 4, kWrongType = 100 };
  struct Sink {
    const Place* place = nullptr;  // Of the value whose alternatives are weighed.
    std::vector<SchemaProblem> problems;
    std::size_t weight = 0;
  };
  enum class Stop : std::uint8_t { kNo, kTooManySteps, kTooDeep };

  // schema_validate.cc
  bool check(SchemaNodeIndex index, const Cursor& at);
  bool check_keywords(const SchemaNode& node, const Cursor& at);
  bool check_any(const SchemaNode& node, const Cursor& at);
  bool check_number(const SchemaNode& node, const Number& number, const Cursor& at);
  bool check_string(const SchemaNode& node, const std::string& text, const Cursor& at);
  bool check_unevaluated(const SchemaNode& node, const Cursor& at);
  bool has_type(SchemaTypes types, const Value& value) const;

  // schema_validate_logic.cc
  bool check_logic(const SchemaNode& node, const Cursor& at);
  bool check_references(const SchemaNode& node, const Cursor& at);
  bool check_any_of(const SchemaNode& node, const Cursor& at);
  bool check_one_of(const SchemaNode& node, const Cursor& at);
  bool check_condition(const SchemaNode& node, const Cursor& at);
  bool quietly(SchemaNodeIndex index, const Cursor& at);
  SchemaNodeIndex dynamic_target(const SchemaNode& node, const Scope& scope) const;
  bool explain_union(const std::vector<SchemaNodeIndex>& branches, const Cursor& at);
  SchemaTypes accepted_types(SchemaNodeIndex index) const;
  bool collect_choices(const std::vector<SchemaNodeIndex>& branches,
                       std::vector<const Value*>& choices) const;

  // schema_validate_array.cc
  bool check_array(const SchemaNode& node, const Array& items, const Cursor& at);
  bool check_items(const SchemaNode& node, const Array& items, const Cursor& at);
  bool check_contains(const SchemaNode& node, const Array& items, const Cursor& at);
  bool check_unique(const Array& items, const Cursor& at);
  bool check_item(SchemaNodeIndex node, const Array& items, std::size_t index, const Cursor& at);

  // schema_validate_object.cc
  bool check_object(const SchemaNode& node, const Object& object, const Cursor& at);
  bool check_required(const SchemaNode& node, const Object& object, const Cursor& at);
  bool check_members(const SchemaNode& node, const Object& object, const Cursor& at);
  bool check_member(const SchemaNode& node, const Object& object, std::size_t index, const Cursor& at);
  bool check_member_name(SchemaNodeIndex names, const Member& member, const Cursor& at);
  bool check_member_value(SchemaNodeIndex node, const Member& member, const Cursor& at);
  bool check_dependent_schemas(const SchemaNode& node, const Object& object, const Cursor& at);
  bool missing(const std::string& name, const std::string* because_of, const Cursor& at);
  std::vector<std::string> declared_names(const SchemaNode& node) const;

  bool explaining() const { return sink_ != nullptr; }
  bool go_on(bool ok) const;  // Whether there is a point in checking more, after what was checked is `ok`.
  bool spend(std::size_t steps);
  std::string path_of(const Place& place) const;
  void add(Sink& sink, SchemaProblem problem) const;
  std::string too_expensive() const;

  // Always false. `message` is called only where somebody listens.
  template <typename Message>
  bool fail(const Cursor& at, Message message, Weight weight = Weight::kUsual) {
    if (!explaining()) return false;
    // A wrong type deeper in the value says little about which alternative was meant.
    const bool light = weight == Weight::kWrongType && &at.place != sink_->place;
    sink_->weight += static_cast<std::size_t>(light ? Weight::kUsual : weight);
    add(*sink_, SchemaProblem{.path = path_of(at.place), .message = message()});
    return false;
  }

  const SchemaProgram& program_;
  std::string_view root_;  // Kept alive by the caller of validate.
  Sink* sink_ = nullptr;   // Null in a quiet pass.
  std::size_t steps_ = 0;
  Stop stop_ = Stop::kNo;
};

}  // namespace sluice::json

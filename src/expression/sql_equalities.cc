#include "sql_equalities.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace sluice::expression {

namespace {

constexpr std::size_t kEqualitiesMax = 32;

std::string_view text_member(const json::Object& node, std::string_view key) {
  const json::Value* value = node.find(key);
  return value != nullptr && value->if_string() != nullptr ? std::string_view(*value->if_string())
                                                           : std::string_view();
}

std::optional<std::string> compared_column(const json::Value* node) {
  const json::Object* object = node == nullptr ? nullptr : node->if_object();
  if (object == nullptr || text_member(*object, "class") != "COLUMN_REF") return std::nullopt;
  const json::Value* names = object->find("column_names");
  if (names == nullptr || names->if_array() == nullptr || names->if_array()->empty()) return std::nullopt;
  const std::string* last = names->if_array()->back().if_string();
  return last == nullptr ? std::nullopt : std::optional(*last);
}

// A text, as an operand of a comparison. `column` is empty.
std::optional<TextEquality> compared_text(const json::Value* node, const SqlParameters& parameters) {
  const json::Object* object = node == nullptr ? nullptr : node->if_object();
  if (object == nullptr) return std::nullopt;
  if (text_member(*object, "class") == "PARAMETER") {
    const auto found = parameters.find(text_member(*object, "identifier"));
    const bool is_text = found != parameters.end() && found->second.type == SqlType::kText;
    if (!is_text || !found->second.value) return std::nullopt;
    return TextEquality{.column = {}, .value = *found->second.value, .parameter = found->first};
  }
  if (text_member(*object, "class") != "CONSTANT") return std::nullopt;
  const json::Value* value = object->find("value");
  const json::Object* typed = value == nullptr ? nullptr : value->if_object();
  const json::Value* text = typed == nullptr ? nullptr : typed->find("value");
  if (text == nullptr || text->if_string() == nullptr) return std::nullopt;
  return TextEquality{.column = {}, .value = *text->if_string(), .parameter = {}};
}

class Equalities {
 public:
  explicit Equalities(const SqlParameters& parameters) : parameters_(parameters) {}

  // As deep as the tree, which its reader bounds.
  void walk(const json::Value& value) {
    if (const json::Object* object = value.if_object()) {
      collect(*object);
      for (const auto& [key, member] : *object) walk(member);
    } else if (const json::Array* list = value.if_array()) {
      for (const json::Value& element : *list) walk(element);
    }
  }
  std::vector<TextEquality> take() { return std::move(found_); }

 private:
  void collect(const json::Object& node) {
    if (text_member(node, "type") == "COMPARE_EQUAL") {
      const json::Value* left = node.find("left");
      const json::Value* right = node.find("right");
      add(left, right);
      add(right, left);
    } else if (text_member(node, "type") == "COMPARE_IN") {
      const json::Value* children = node.find("children");
      const json::Array* list = children == nullptr ? nullptr : children->if_array();
      for (std::size_t i = 1; list != nullptr && i < list->size(); ++i) add(&list->front(), &(*list)[i]);
    }
  }

  void add(const json::Value* column, const json::Value* text) {
    const std::optional<std::string> name = compared_column(column);
    if (!name || found_.size() == kEqualitiesMax) return;
    std::optional<TextEquality> equality = compared_text(text, parameters_);
    if (!equality) return;
    equality->column = *name;
    found_.push_back(*std::move(equality));
  }

  const SqlParameters& parameters_;
  std::vector<TextEquality> found_;
};

const json::Object* object_member(const json::Object& node, std::string_view key) {
  const json::Value* value = node.find(key);
  return value == nullptr ? nullptr : value->if_object();
}

}  // namespace

std::vector<TextEquality> text_equalities(const json::Value& tree, const SqlParameters& parameters) {
  Equalities equalities(parameters);
  equalities.walk(tree);
  return equalities.take();
}

bool has_group_by(const json::Value& tree) {
  const json::Value* statements = tree.find("statements");
  if (statements == nullptr || statements->if_array() == nullptr || statements->if_array()->size() != 1)
    return false;
  const json::Object* statement = statements->if_array()->front().if_object();
  const json::Object* select = statement == nullptr ? nullptr : object_member(*statement, "node");
  if (select == nullptr) return false;
  const json::Value* keys = select->find("group_expressions");
  const bool has_keys = keys != nullptr && keys->if_array() != nullptr && !keys->if_array()->empty();
  return has_keys || text_member(*select, "aggregate_handling") == "FORCE_AGGREGATES";  // GROUP BY ALL.
}

}  // namespace sluice::expression

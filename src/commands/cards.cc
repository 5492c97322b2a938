#include "cards.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/engine/type.h"
#include "sluice/fs/durable.h"
#include "sluice/json/reader.h"

namespace sluice::commands {
namespace {

constexpr std::string_view kSuffix = ".schema.json";

// Role to column, for the roles that the table has a column for.
json::Object roles_of(const query::Collection& collection, const query::Table& table) {
  json::Object roles;
  for (const query::Role& role : collection.roles) {
    for (const std::string& column : role.columns) {
      const bool has_it = std::any_of(table.columns.begin(), table.columns.end(),
                                      [&](const engine::Field& field) { return field.name == column; });
      if (!has_it) continue;
      roles.set(role.name, column);
      break;
    }
  }
  return roles;
}

json::Array columns_of(const query::Table& table, const json::Object& roles) {
  json::Array columns;
  for (const engine::Field& field : table.columns) {
    json::Object column{{"name", field.name}, {"dtype", engine::polars_name(field.type)}};
    for (const json::Member& role : roles) {
      if (*role.value.if_string() == field.name) column.set("role", role.key);
    }
    columns.emplace_back(std::move(column));
  }
  return columns;
}

Error differs(std::string_view what, std::string_view card, std::string_view data) {
  return invalid_input(fmt::format("the card says {} {}, the data {}", what, excerpt(card), excerpt(data)))
      .with_code("stale_card")
      .with_hint("sluice check --cards --write brings it up to date.");
}

std::string value_text(const json::Value* value) {
  return value == nullptr ? "nothing" : json::to_text(*value);
}

Status compare_field(const json::Object& found, const json::Object& card, std::string_view key,
                     const std::string& what) {
  const json::Value* left = found.find(key);
  const json::Value* right = card.find(key);
  const bool is_same = left == nullptr || right == nullptr ? left == right : json::equal(*left, *right);
  if (is_same) return {};
  return differs(what, value_text(left), value_text(right));
}

const json::Array& columns_in(const json::Object& card) {
  static const json::Array kNone;
  const json::Value* columns = card.find("columns");
  return columns == nullptr || !columns->is_array() ? kNone : *columns->if_array();
}

Status compare(const json::Object& found, const json::Object& card) {
  const json::Array& old_columns = columns_in(found);
  const json::Array& columns = columns_in(card);
  if (old_columns.size() != columns.size())
    return differs("columns:", std::to_string(old_columns.size()), std::to_string(columns.size()));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const json::Object* old_column = old_columns[i].if_object();
    if (old_column == nullptr) return differs("a column is", json::to_text(old_columns[i]), "an object");
    for (const std::string_view key : {"name", "dtype", "role"}) {
      SLUICE_CHECK(
          compare_field(*old_column, *columns[i].if_object(), key, fmt::format("columns[{}].{} is", i, key)));
    }
  }
  for (const std::string_view key : {"dataset", "unit", "roles", "rows"}) {
    SLUICE_CHECK(compare_field(found, card, key, fmt::format("{} is", key)));
  }
  return {};
}

// Nothing where there is no card.
Result<std::optional<json::Value>> read_card(const query::Dataset& dataset) {
  const Result<std::string> text = dataset.read_beside(kSuffix);
  if (!text.ok() && text.error().kind == ErrorKind::kNotFound) return std::optional<json::Value>{};
  if (!text.ok()) return text.error();
  Result<json::Value> card = json::read(*text);
  if (!card.ok()) return invalid_input("read card: " + card.error().message).with_code("stale_card");
  if (!card->is_object()) return invalid_input("read card: not an object").with_code("stale_card");
  return std::optional<json::Value>{*std::move(card)};
}

// What people have added to the old card: descriptions of columns, and keys of their own.
json::Object merged(const json::Object& old, const json::Object& card) {
  json::Object made = card;
  for (const json::Member& member : old) {
    if (!made.contains(member.key) && member.key != "unit") made.set(member.key, member.value);
  }
  for (json::Value& column : *made.find("columns")->if_array()) {
    const json::Value* name = column.find("name");
    for (const json::Value& was : columns_in(old)) {
      const json::Value* old_name = was.find("name");
      if (old_name == nullptr || !json::equal(*old_name, *name)) continue;
      for (const json::Member& member : *was.if_object()) {
        if (!column.if_object()->contains(member.key) && member.key != "role")
          column.if_object()->set(member.key, member.value);
      }
    }
  }
  return made;
}

// One line for each key and each column: people read and edit it, and see its changes line by line.
std::string laid_out(const json::Object& card) {
  std::string out = "{";
  for (const json::Member& member : card) {
    out += out.size() == 1 ? "\n  " : ",\n  ";
    out += json::to_text(json::Value(member.key)) + ": ";
    if (member.key != "columns") {
      out += json::to_text(member.value);
      continue;
    }
    std::string columns;
    for (const json::Value& column : *member.value.if_array()) {
      columns += columns.empty() ? "\n    " : ",\n    ";
      columns += json::to_text(column);
    }
    out += "[" + columns + "\n  ]";
  }
  return out + "\n}\n";
}

}  // namespace

json::Object make_card(const query::Dataset& dataset, const query::Table& table, std::uint64_t rows) {
  json::Object roles = roles_of(dataset.collection(), table);
  // The name within its folder: the same wherever the folder is served, and beside whatever else.
  const std::string path = dataset.path_beside("");
  const std::string name = path.empty() ? dataset.name() : path.substr(path.rfind('/') + 1);
  json::Object card{{"dataset", name}, {"rows", rows}};
  if (!dataset.collection().unit.empty()) card.set("unit", dataset.collection().unit);
  json::Array columns = columns_of(table, roles);
  card.set("roles", std::move(roles));
  card.set("columns", std::move(columns));
  return card;
}

Status check_card(const query::Dataset& dataset, const json::Object& card) {
  SLUICE_TRY(const std::optional<json::Value> found, read_card(dataset));
  if (!found) return {};
  return compare(*found->if_object(), card);
}

Status write_card(const query::Dataset& dataset, const json::Object& card, const fs::Root& root) {
  const Result<std::optional<json::Value>> found = read_card(dataset);
  if (!found.ok() && found.error().code != "stale_card") return found.error();
  const json::Object* old = found.ok() && found->has_value() ? (*found)->if_object() : nullptr;
  if (old != nullptr && compare(*old, card).ok()) return {};
  const std::string path = dataset.path_beside(kSuffix);
  if (path.empty()) return unsupported("write card: the dataset has no file").with_code("no_card");
  return fs::replace_file(root, path, laid_out(old == nullptr ? card : merged(*old, card)));
}

}  // namespace sluice::commands

#include "record_folder.h"

#include <gtest/gtest.h>

#include "sluice/engine/duckdb.h"
#include "sluice/engine/sql.h"
#include "sluice/json/reader.h"
#include "sluice/render/cell.h"

namespace sluice::records::testing {

json::Object object(std::string_view text) {
  Result<json::Value> value = json::read(text);
  EXPECT_TRUE(value.ok() && value->is_object()) << text;
  return value.ok() && value->is_object() ? *value->if_object() : json::Object();
}

std::unique_ptr<Store> RecordFolder::open(bool writable) const {
  StoreOptions options;
  options.path = folder_.path();
  options.writable = writable;
  options.fold_after = std::chrono::hours(1);
  Result<std::unique_ptr<Store>> store = Store::open(options);
  EXPECT_TRUE(store.ok()) << store.error().message;
  return store.ok() ? *std::move(store) : nullptr;
}

void RecordFolder::make(std::string_view data_type, const std::string& select) const {
  folder_.make_folder(data_type);
  const std::string path = folder_.at(std::string(data_type) + "/" + std::string(data_type) + ".parquet");
  engine::EngineOptions options;
  options.folders = {folder_.path()};
  const auto engine = engine::open_duckdb(options).value();
  const auto made = engine->execute(
      {.sql = "COPY (" + select + ") TO " + engine::quote_text(path) + " (FORMAT parquet)", .parameters = {}},
      {});
  ASSERT_TRUE(made.ok()) << made.error().message;
}

void RecordFolder::make_tasks() const {
  make("tasks",
       "SELECT * FROM (VALUES ('a', 'first', 1, DATE '2024-01-01'), ('b', 'second', 2, NULL), ('c', 'third', "
       "3, DATE "
       "'2024-03-01')) AS t(task_id, title, priority, due)");
}

std::shared_ptr<DataType> type_of(Store& store, std::string_view name) {
  Result<std::shared_ptr<DataType>> type = store.find(name);
  EXPECT_TRUE(type.ok()) << type.error().message;
  return type.ok() ? *type : nullptr;
}

std::string rows_of(const View& view) {
  std::string sql = "SELECT ";
  for (const engine::Field& column : view.columns) sql += engine::quote_name(column.name) + ", ";
  sql.resize(sql.size() - 2);
  sql += " FROM " + view.relation + (view.is_ordered ? "" : " ORDER BY " + std::string(kRowColumn));
  auto rows = view.engine->query({.sql = sql, .parameters = {}}, {});
  if (!rows.ok()) return rows.error().message;
  std::string out;
  while (true) {
    const Result<const engine::Batch*> batch = (*rows)->next();
    if (!batch.ok()) return batch.error().message;
    if (*batch == nullptr) return "[" + out + "]";
    for (std::size_t row = 0; row < (*batch)->rows; ++row) {
      out += out.empty() ? "{" : ",{";
      bool first = true;
      for (std::size_t i = 0; i < view.columns.size(); ++i) {
        if ((*batch)->columns[i].is_null(row)) continue;
        if (!first) out += ',';
        first = false;
        out += '"' + view.columns[i].name + "\":";
        render::append_json(out, (*batch)->columns[i], row);
      }
      out += '}';
    }
  }
}

std::string records_of(Store& store, std::string_view name) {
  const Result<View> view = type_of(store, name)->view({});
  return view.ok() ? rows_of(*view) : view.error().code + ": " + view.error().message;
}

Result<Mutated> add(Store& store, std::string_view record, std::string_view name) {
  const json::Object given = object(record);
  return add_records(*type_of(store, name), nullptr, {&given}, {}, {});
}
Result<Mutated> update(Store& store, std::string_view filters, std::string_view updates,
                       std::string_view name) {
  return update_records(*type_of(store, name), nullptr, object(filters), object(updates), {}, {});
}
Result<Mutated> remove(Store& store, std::string_view filters, std::string_view name) {
  return delete_records(*type_of(store, name), object(filters), {}, {});
}
Result<Mutated> undo(Store& store, const std::string& id, bool force) {
  const Result<std::vector<std::string>> types = journaled_types(store.root());
  const Result<FoundOperation> found = find_operation(store.root(), *types, id);
  if (!found.ok()) return found.error();
  MutationOptions options;
  options.force = force;
  return roll_back(*type_of(store, found->data_type), *found, options, {});
}
std::string code_of(const Result<Mutated>& result) { return result.ok() ? "" : result.error().code; }

}  // namespace sluice::records::testing

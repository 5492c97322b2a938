#include "lean/parameter_values.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/log.h"
#include "sluice/base/text.h"
#include "sluice/catalog/background_context.h"
#include "sluice/expression/sql.h"
#include "sluice/json/reader.h"
#include "sluice/query/statement.h"
#include "sluice/render/feed.h"
#include "sluice/render/rows.h"

#include "lean/table_finder.h"

namespace sluice::datasets::lean {

namespace {

using expression::SqlType;

constexpr std::size_t kValuesMax = 50;
constexpr std::size_t kValueBytesMax = 64;  // Values stand in the definition of a tool, which a model trusts.
constexpr std::chrono::seconds kLookTime{10};

// A value that the schema of a parameter can list.
bool can_be_listed(const json::Value& value, SqlType type) {
  if (!value_from_json(type, value).ok()) return false;
  const std::string* text = value.if_string();
  return text == nullptr || (text->size() <= kValueBytesMax && encode_controls(*text) == *text);
}

// The first column of what a statement gives.
Result<json::Array> first_column(const DatasetTools& dataset_tools, const std::string& sql,
                                 catalog::Context& context) {
  SLUICE_TRY(const std::shared_ptr<engine::Engine> engine, dataset_tools.services().engines->get());
  TableFinder tables(dataset_tools, engine, context);
  SLUICE_TRY(
      const expression::Question question,
      expression::check_sql(*engine, sql, tables, dataset_tools.guard_of(context), limits_of(context)));
  const std::shared_ptr<const query::StatementDataset> read = tables.dataset(question);
  const query::Table table;
  SLUICE_TRY(const query::Relation relation, read->open(table, limits_of(context), &question));
  SLUICE_TRY(const std::unique_ptr<engine::Rows> rows,
             engine->query(query::statement_of(question, table, relation, std::nullopt), limits_of(context)));
  render::JsonRows out(rows->columns(), {.shape = render::Shape::kColumns, .budget = {}});
  SLUICE_TRY([[maybe_unused]] const bool is_complete, render::feed(*rows, out));
  SLUICE_TRY(const json::Value read_rows, json::read(std::move(out).take()));
  json::Array values;
  for (const json::Value& row : *read_rows.if_array()) values.push_back(row.if_array()->front());
  return values;
}

}  // namespace

ParameterValues::ParameterValues(const DatasetTools& dataset_tools, const std::vector<DefinedTool>& tools)
    : dataset_tools_(dataset_tools) {
  for (const DefinedTool& tool : tools) {
    for (const ToolParameter& parameter : tool.parameters) {
      const bool is_known = std::any_of(columns_.begin(), columns_.end(), [&](const Column& column) {
        return column.parameter.table == parameter.table && column.parameter.column == parameter.column &&
               column.parameter.type == parameter.type;
      });
      if (!parameter.table.empty() && !is_known)
        columns_.push_back({.parameter = parameter, .version = {}, .values = {}});
    }
  }
}

ParameterValues::~ParameterValues() {
  if (thread_.joinable()) dataset_tools_.services().registry->unlisten(listening_);
}

void ParameterValues::start(std::function<void()> on_change) {
  if (columns_.empty()) return;
  on_change_ = std::move(on_change);
  listening_ = dataset_tools_.services().registry->listen([this](const query::InventoryChange&) {
    {
      const std::scoped_lock lock(mutex_);
      ++change_;
    }
    changed_.notify_all();
  });
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void ParameterValues::run(const std::stop_token& stop) {
  if (dataset_tools_.services().ready.valid()) dataset_tools_.services().ready.wait();
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    const std::uint64_t change = change_;
    lock.unlock();
    const bool has_changed = look(stop);
    lock.lock();
    looked_at_ = change;
    changed_.notify_all();
    if (has_changed) {
      // Whoever is told lists the tools, which needs the lock.
      lock.unlock();
      on_change_();
      lock.lock();
    }
    changed_.wait(lock, stop, [&] { return change_ != looked_at_; });
  }
}

bool ParameterValues::look(const std::stop_token& stop) {
  const query::Inventory inventory = dataset_tools_.inventory_now();
  bool has_changed = false;
  for (std::size_t i = 0; i < columns_.size() && !stop.stop_requested(); ++i) {
    Column& column = columns_[i];  // Only this thread writes, and the number of columns is fixed.
    const Result<query::DatasetPtr> dataset = find_dataset(inventory, column.parameter.table);
    const std::string version =
        dataset.ok() && *dataset ? (*dataset)->name() + "@" + (*dataset)->identity().version : "";
    if (!version.empty() && version == column.version) continue;
    Result<json::Array> found = find(column.parameter, stop);
    if (!found.ok())
      log::warning("tool.values_unknown",
                   {{"values_of", column.parameter.table + "." + column.parameter.column},
                    {"reason", found.error().message}});
    const std::scoped_lock lock(mutex_);
    column.version = found.ok() ? version : "";  // What could not be read is looked at after the next change.
    json::Array values = found.ok() ? *std::move(found) : json::Array();
    has_changed = has_changed || !json::equal(json::Value(values), json::Value(column.values));
    column.values = std::move(values);
  }
  return has_changed;
}

Result<json::Array> ParameterValues::find(const ToolParameter& parameter, const std::stop_token& stop) const {
  const std::string sql =
      fmt::format("SELECT DISTINCT {0} FROM {1} WHERE {0} IS NOT NULL ORDER BY {0} LIMIT {2}",
                  engine::quote_name(parameter.column), engine::quote_name(parameter.table), kValuesMax + 1);
  catalog::BackgroundContext context(stop, system_clock().now() + kLookTime);
  SLUICE_TRY(json::Array values, first_column(dataset_tools_, sql, context));
  const bool can_list =
      values.size() <= kValuesMax && std::all_of(values.begin(), values.end(), [&](const json::Value& one) {
        return can_be_listed(one, parameter.type);
      });
  if (!can_list) values.clear();
  return values;
}

void ParameterValues::wait(std::chrono::milliseconds bound) const {
  if (columns_.empty()) return;
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, bound, [&] { return looked_at_ != 0; });
}

json::Array ParameterValues::of(const ToolParameter& parameter) const {
  if (parameter.table.empty()) return {};
  const std::scoped_lock lock(mutex_);
  for (const Column& column : columns_) {
    if (column.parameter.table == parameter.table && column.parameter.column == parameter.column &&
        column.parameter.type == parameter.type)
      return column.values;
  }
  return {};
}

}  // namespace sluice::datasets::lean

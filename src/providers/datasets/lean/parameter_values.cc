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

bool is_about_same(const ToolParameter& a, const ToolParameter& b) {
  return a.table == b.table && a.column == b.column && a.type == b.type;
}

}  // namespace

ParameterValues::ParameterValues(const DatasetTools& dataset_tools, const std::vector<DefinedTool>& tools)
    : dataset_tools_(dataset_tools) {
  for (const DefinedTool& tool : tools) {
    for (const ToolParameter& parameter : tool.parameters) {
      const bool is_known =
          std::any_of(parameters_.begin(), parameters_.end(),
                      [&](const ToolParameter& one) { return is_about_same(one, parameter); });
      if (!parameter.table.empty() && !is_known) parameters_.push_back(parameter);
    }
  }
  columns_.resize(parameters_.size());
}

ParameterValues::~ParameterValues() {
  if (thread_.is_started()) dataset_tools_.services().registry->unlisten(listening_);
}

void ParameterValues::start(std::function<void()> on_change) {
  if (parameters_.empty()) return;
  on_change_ = std::move(on_change);
  listening_ = dataset_tools_.services().registry->listen([this](const query::InventoryChange&) {
    {
      const MutexLock lock(mutex_);
      ++change_;
    }
    changed_.notify_all();
  });
  thread_ = BackgroundThread("tool-values", [this](const std::stop_token& stop) { run(stop); });
}

void ParameterValues::run(const std::stop_token& stop) {
  if (dataset_tools_.services().ready.valid()) dataset_tools_.services().ready.wait();
  MutexLock lock(mutex_);
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
    changed_.wait(mutex_, stop, [&]() SLUICE_REQUIRES(mutex_) { return change_ != looked_at_; });
  }
}

bool ParameterValues::look(const std::stop_token& stop) {
  const query::Inventory inventory = dataset_tools_.inventory_now();
  bool has_changed = false;
  for (std::size_t i = 0; i < parameters_.size() && !stop.stop_requested(); ++i) {
    const ToolParameter& parameter = parameters_[i];
    const Result<query::DatasetPtr> dataset = find_dataset(inventory, parameter.table);
    const std::string version =
        dataset.ok() && *dataset ? (*dataset)->name() + "@" + (*dataset)->identity().version : "";
    if (!version.empty() && version == known_version(i)) continue;
    Result<json::Array> found = find(parameter, stop);
    if (!found.ok())
      log::warning("tool.values_unknown", {{"values_of", parameter.table + "." + parameter.column},
                                           {"reason", found.error().message}});
    const MutexLock lock(mutex_);
    Column& column = columns_[i];
    column.version = found.ok() ? version : "";  // What could not be read is looked at after the next change.
    json::Array values = found.ok() ? *std::move(found) : json::Array();
    has_changed = has_changed || !json::equal(json::Value(values), json::Value(column.values));
    column.values = std::move(values);
  }
  return has_changed;
}

std::string ParameterValues::known_version(std::size_t column) const {
  const MutexLock lock(mutex_);
  return columns_[column].version;
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
  if (parameters_.empty()) return;
  const MutexLock lock(mutex_);
  changed_.wait_for(mutex_, bound, [&]() SLUICE_REQUIRES(mutex_) { return looked_at_ != 0; });
}

json::Array ParameterValues::of(const ToolParameter& parameter) const {
  if (parameter.table.empty()) return {};
  const MutexLock lock(mutex_);
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (is_about_same(parameters_[i], parameter)) return columns_[i].values;
  }
  return {};
}

}  // namespace sluice::datasets::lean

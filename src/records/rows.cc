#include "rows.h"

#include <fmt/format.h>

#include "sluice/engine/sql.h"
#include "sluice/json/writer.h"
#include "sluice/records/value.h"
#include "sluice/render/cell.h"

namespace sluice::records {

namespace {

void append_object(std::string& out, const engine::Batch& batch, std::size_t row,
                   const std::vector<std::string>& keys) {
  out += '{';
  for (std::size_t i = 1; i < batch.columns.size(); ++i) {
    if (batch.columns[i].is_null(row)) continue;
    if (out.back() != '{') out += ',';
    out += keys[i];
    render::append_json(out, batch.columns[i], row);
  }
  out += '}';
}

}  // namespace

Result<std::vector<TextRow>> read_texts(engine::Engine& engine, const engine::Statement& statement,
                                        const engine::RunLimits& limits) {
  SLUICE_TRY(const std::unique_ptr<engine::Rows> rows, engine.query(statement, limits));
  std::vector<TextRow> out;
  while (true) {
    SLUICE_TRY(const engine::Batch* batch, rows->next());
    if (batch == nullptr) return out;
    for (std::size_t row = 0; row < batch->rows; ++row) {
      TextRow& cells = out.emplace_back();
      for (const engine::Column& column : batch->columns)
        render::append_text(cells.emplace_back(), column, row);
    }
  }
}

Result<std::vector<StoredRow>> read_stored(engine::Engine& engine, const engine::Statement& statement,
                                           const engine::RunLimits& limits, const std::string& id_column,
                                           std::size_t rows_max) {
  SLUICE_TRY(const std::unique_ptr<engine::Rows> rows, engine.query(statement, limits));
  std::vector<std::string> keys;
  std::size_t id_index = 0;
  for (std::size_t i = 0; i < rows->columns().size(); ++i) {
    json::append_string(keys.emplace_back(), rows->columns()[i].name);
    keys.back() += ':';
    if (i > 0 && rows->columns()[i].name == id_column) id_index = i;
  }
  std::vector<StoredRow> out;
  while (true) {
    SLUICE_TRY(const engine::Batch* batch, rows->next());
    if (batch == nullptr) return out;
    for (std::size_t row = 0; row < batch->rows; ++row) {
      if (out.size() == rows_max) return limit_reached("records changed by one operation", rows_max);
      StoredRow& stored = out.emplace_back();
      stored.row = batch->columns[0].at<double>(row);
      stored.id = "null";
      if (id_index > 0) {
        stored.id.clear();
        render::append_json(stored.id, batch->columns[id_index], row);
      }
      append_object(stored.values, *batch, row, keys);
    }
  }
}

std::string row_json(double row, std::string_view values) {
  std::string out = fmt::format(R"({{"row":{},"new":)", row);
  out.reserve(out.size() + values.size() + 1);
  out += values;
  out += '}';
  return out;
}

std::string rows_source(const std::vector<engine::Field>& columns, int parameter) {
  json::Writer out;
  out.begin_object().field("row", "DOUBLE").key("new").begin_object();
  for (const engine::Field& column : columns) out.field(column.name, operand_type(column.type));
  out.end_object().end_object();
  return fmt::format("(SELECT from_json(given, {}) AS u FROM (SELECT unnest(${}) AS given))",
                     engine::quote_text(out.text()), parameter);
}

}  // namespace sluice::records

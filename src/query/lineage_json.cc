#include "sluice/query/lineage_json.h"

#include <algorithm>
#include <string>
#include <utility>

namespace sluice::query {

namespace {

json::Object column_json(const expression::TableColumn& column, const std::vector<StatementPart>& parts) {
  const auto part = std::find_if(parts.begin(), parts.end(),
                                 [&](const StatementPart& one) { return one.name == column.table; });
  if (part == parts.end()) return {};
  return {{"dataset", part->dataset->name()}, {"column", part->table->columns[column.column].name}};
}

}  // namespace

json::Object lineage_json(const expression::Lineage& lineage, const std::vector<StatementPart>& parts) {
  if (lineage.columns.empty()) return {};
  json::Array columns;
  for (const expression::ColumnLineage& column : lineage.columns) {
    json::Array from;
    for (const expression::Origin& origin : column.origins) {
      json::Object one = column_json(origin.column, parts);
      one.set("how", std::string(expression::to_string(origin.how)));
      from.emplace_back(std::move(one));
    }
    columns.emplace_back(json::Object{{"column", column.name}, {"from", std::move(from)}});
  }
  json::Array filters;
  for (const expression::TableColumn& column : lineage.filters)
    filters.emplace_back(column_json(column, parts));
  return {{"columns", std::move(columns)}, {"filtered_by", std::move(filters)}};
}

}  // namespace sluice::query

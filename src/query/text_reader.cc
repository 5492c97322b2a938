#include "text_reader.h"

#include "sluice/engine/sql.h"

namespace sluice::query {

using engine::quote_text;

std::string columns_argument(const NamedTypes& columns) {
  std::string out = "columns = {";
  for (const auto& [name, type] : columns) {
    if (!out.ends_with('{')) out += ", ";
    out += quote_text(name) + ": " + quote_text(type);
  }
  return out + "}";
}

std::string type_of_column(const Collection& collection, const std::string& name, const std::string& found) {
  const auto hint = collection.types.find(name);
  return hint == collection.types.end() ? found : hint->second;
}

NamedTypes types_to_read(const std::vector<TextColumn>& columns, const ColumnForms& forms) {
  NamedTypes out;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const ColumnForm& form = forms.columns[i];
    out.emplace_back(columns[i].name, form.expression.empty() ? form.type : "VARCHAR");
  }
  return out;
}

std::vector<TextReader::Column> columns_to_select(const std::vector<TextColumn>& columns,
                                                  const ColumnForms& forms) {
  std::vector<TextReader::Column> out;
  for (std::size_t i = 0; i < columns.size(); ++i)
    out.push_back({.name = columns[i].name, .expression = forms.columns[i].expression});
  return out;
}

}  // namespace sluice::query

#include "sluice/query/union_dataset.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/engine/sql.h"

#include "columns.h"

namespace sluice::query {

namespace {

using engine::quote_name;
using engine::quote_text;

Dataset::Identity union_identity(const std::vector<UnionDataset::Part>& parts) {
  Dataset::Identity identity;
  identity.collection = parts.front().dataset->identity().collection;
  for (const UnionDataset::Part& part : parts) {
    identity.name += (identity.name.empty() ? "" : "+") + part.dataset->name();
    identity.bytes += part.dataset->identity().bytes;
  }
  return identity;
}

// What tells the rows of one dataset from those of another, where the data does not use the name itself.
std::string labels(const UnionDataset::Part& part) {
  std::string out;
  const auto add = [&](const std::string& name, const std::string& value, bool is_integer) {
    if (has_column(part.table->columns, name)) return;
    out += fmt::format("CAST({} AS {}) AS {}, ", quote_text(value), is_integer ? "BIGINT" : "VARCHAR",
                       quote_name(name));
  };
  add("dataset", part.dataset->name(), false);
  const std::vector<Dimension>& dimensions = part.dataset->collection().dimensions;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    add(dimensions[i].name, part.dataset->identity().dimensions[i], dimensions[i].is_integer);
  }
  return out;
}

// The columns of all parts under names that the engine keeps apart: it takes names that differ only in case
// for one, and two datasets may have `x` and `X`, which are two columns.
class UnionNames {
 public:
  explicit UnionNames(const std::vector<UnionDataset::Part>& parts) {
    for (const UnionDataset::Part& part : parts) {
      for (const engine::Field& column : part.table->columns) add(column.name);
    }
  }
  const std::string& of(const std::string& column) const { return names_.find(column)->second; }

 private:
  void add(const std::string& column) {
    if (names_.contains(column)) return;
    std::string name = column;
    while (!taken_.insert(to_lower_ascii(name)).second) name += '_';
    names_.emplace(column, std::move(name));
  }

  std::map<std::string, std::string> names_;
  std::set<std::string> taken_;  // In lower case.
};

struct Opened {
  std::string sql;
  std::vector<Relation> relations;
};

Result<Opened> open_all(const std::vector<UnionDataset::Part>& parts, const engine::RunLimits& limits,
                        const expression::Question* question) {
  const UnionNames names(parts);
  Opened opened;
  for (const UnionDataset::Part& part : parts) {
    SLUICE_TRY(Relation relation, part.dataset->open(*part.table, limits, question));
    std::string columns;
    for (const engine::Field& column : part.table->columns) {
      columns += fmt::format("{}{} AS {}", columns.empty() ? "" : ", ", quote_name(column.name),
                             quote_name(names.of(column.name)));
    }
    opened.sql += fmt::format("{}SELECT {}{} FROM {}", opened.sql.empty() ? "" : " UNION ALL BY NAME ",
                              labels(part), columns, relation.sql);
    opened.relations.push_back(std::move(relation));
  }
  opened.sql = "(" + opened.sql + ")";
  return opened;
}

}  // namespace

UnionDataset::UnionDataset(std::vector<Part> parts)
    : Dataset(union_identity(parts)), parts_(std::move(parts)) {}

Result<Table> UnionDataset::inspect(engine::Engine& engine, const engine::RunLimits& limits) const {
  SLUICE_TRY(const Opened opened, open_all(parts_, limits, nullptr));
  SLUICE_TRY(engine::Description description, engine.describe({.sql = "SELECT * FROM " + opened.sql}));
  return Table{.columns = std::move(description.columns), .reader = "", .row_number = "row_number() OVER ()"};
}

Result<Relation> UnionDataset::open(const Table& /*table*/, const engine::RunLimits& limits,
                                    const expression::Question* question) const {
  // A part cannot answer a question about all of them. It is asked for its rows, in their order if they are
  // shown.
  const expression::Question rows;
  const bool is_ordered = question != nullptr && !question->is_grouped && !question->is_order_free;
  SLUICE_TRY(Opened opened, open_all(parts_, limits, is_ordered ? &rows : nullptr));
  return Relation{.sql = std::move(opened.sql),
                  .lease = std::make_shared<const std::vector<Relation>>(std::move(opened.relations))};
}

bool UnionDataset::is_current() const {
  return std::all_of(parts_.begin(), parts_.end(),
                     [](const Part& part) { return part.dataset->is_current(); });
}

Result<std::string> UnionDataset::read_beside(std::string_view) const {
  return not_found("several datasets have no file beside them");
}

}  // namespace sluice::query

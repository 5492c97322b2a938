#include "sluice/query/collection_dataset.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/base64.h"
#include "sluice/base/text.h"
#include "sluice/crypto/digest.h"
#include "sluice/engine/sql.h"

#include "columns.h"

namespace sluice::query {

namespace {

using engine::quote_name;
using engine::quote_text;
using Part = CollectionDataset::Part;

constexpr std::string_view kDatasetColumn = "dataset";
constexpr std::string_view kFileIndex = "file_index";  // A column that the engine adds to every file.
constexpr std::string_view kNullPartition = "__HIVE_DEFAULT_PARTITION__";

Dataset::Identity collection_identity(const std::vector<Part>& parts) {
  Dataset::Identity identity;
  identity.collection = parts.front().dataset->identity().collection;
  identity.name = identity.collection->name;
  std::string versions;
  bool is_settled = true;
  for (const Part& part : parts) {
    const Dataset::Identity& one = part.dataset->identity();
    if (part.has_rows) identity.bytes += one.bytes;
    identity.modified = std::max(identity.modified, one.modified);
    identity.is_followed = identity.is_followed && one.is_followed;
    is_settled = is_settled && !one.version.empty();
    versions += fmt::format("{}:{}={}{};", one.name.size(), one.name, one.version, part.has_rows ? "" : "-");
  }
  if (is_settled) identity.version = base64url_encode(crypto::sha256(versions));
  return identity;
}

// The columns of a collection under names that the engine keeps apart: it takes names that differ only in
// case for one, and two datasets may have `x` and `X`, which are two columns.
class ColumnNames {
 public:
  explicit ColumnNames(const Collection& collection) {
    for (const Dimension& dimension : collection.dimensions) dimensions_.push_back(free(dimension.name));
  }

  void add_columns(const std::vector<Part>& parts) {
    for (const Part& part : parts) {
      for (const engine::Field& column : part.table->columns) {
        if (!columns_.contains(column.name)) columns_.emplace(column.name, free(column.name));
      }
    }
    label_ = free(std::string(kDatasetColumn));
  }

  const std::string& of_dimension(std::size_t index) const { return dimensions_[index]; }
  const std::string& of_column(const std::string& column) const { return columns_.find(column)->second; }
  const std::string& of_dataset() const { return label_; }

 private:
  std::string free(std::string name) {
    while (!taken_.insert(to_lower_ascii(name)).second) name += '_';
    return name;
  }

  std::set<std::string> taken_;  // In lower case.
  std::vector<std::string> dimensions_;
  std::map<std::string, std::string> columns_;
  std::string label_;
};

std::string text_or_null(const std::string& value) {
  return value == kNullPartition ? "NULL" : quote_text(value);
}

// A column that has one value in all rows of a dataset, for a run of datasets with these values.
std::string label_sql(const std::vector<std::string>& literals, std::string_view type) {
  const bool is_constant = std::all_of(literals.begin(), literals.end(),
                                       [&](const std::string& one) { return one == literals.front(); });
  if (is_constant) return fmt::format("CAST({} AS {})", literals.front(), type);
  return fmt::format("(CAST([{}] AS {}[]))[CAST({} AS BIGINT) + 1]", fmt::join(literals, ", "), type,
                     kFileIndex);
}

// Datasets that follow each other and are read alike: one call of the engine reads them all.
struct Run {
  std::string form;
  std::vector<const Part*> parts;
  std::vector<Relation> relations;  // One for each of the parts.
};

// Equal for datasets that are read alike; empty for one that is read by itself.
std::string form_of(const Part& part, const Relation& relation) {
  if (!relation.scan || has_column(part.table->columns, kFileIndex)) return {};
  const FileScan& scan = *relation.scan;
  std::string out = scan.function + '\0' + scan.arguments + '\0' + scan.columns;
  for (const engine::Field& column : part.table->columns)
    (((out += '\0') += column.name) += '\0') += engine::sql_name(column.type);
  return out;
}

std::string from_sql(const Run& run) {
  if (run.parts.size() == 1) return run.relations.front().sql;
  std::string paths;
  for (const Relation& relation : run.relations)
    (paths += paths.empty() ? "" : ", ") += quote_text(relation.scan->path);
  const FileScan& scan = *run.relations.front().scan;
  return fmt::format("(SELECT {}, {} FROM {}([{}]{}))", scan.columns.empty() ? "*" : scan.columns, kFileIndex,
                     scan.function, paths, scan.arguments);
}

std::string select_sql(const Run& run, const ColumnNames& names) {
  std::vector<std::string> values;
  for (const Part* part : run.parts) values.push_back(quote_text(part->dataset->name()));
  std::string out =
      fmt::format("SELECT {} AS {}", label_sql(values, "VARCHAR"), quote_name(names.of_dataset()));
  const std::vector<Dimension>& dimensions = run.parts.front()->dataset->collection().dimensions;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    for (std::size_t k = 0; k < values.size(); ++k)
      values[k] = text_or_null(run.parts[k]->dataset->identity().dimensions[i]);
    out += fmt::format(", {} AS {}", label_sql(values, dimensions[i].is_integer ? "BIGINT" : "VARCHAR"),
                       quote_name(names.of_dimension(i)));
  }
  for (const engine::Field& column : run.parts.front()->table->columns)
    out += fmt::format(", {} AS {}", quote_name(column.name), quote_name(names.of_column(column.name)));
  return out + " FROM " + from_sql(run);
}

// The same columns without rows, by which the engine finds the types that all datasets have in common.
std::string empty_sql(const Part& part, const ColumnNames& names) {
  std::string out = fmt::format("SELECT CAST(NULL AS VARCHAR) AS {}", quote_name(names.of_dataset()));
  const std::vector<Dimension>& dimensions = part.dataset->collection().dimensions;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    out += fmt::format(", CAST(NULL AS {}) AS {}", dimensions[i].is_integer ? "BIGINT" : "VARCHAR",
                       quote_name(names.of_dimension(i)));
  }
  for (const engine::Field& column : part.table->columns) {
    const bool is_known = column.type.id != engine::TypeId::kOther && column.type.id != engine::TypeId::kNull;
    out += fmt::format(", CAST(NULL AS {}) AS {}", is_known ? engine::sql_name(column.type) : "VARCHAR",
                       quote_name(names.of_column(column.name)));
  }
  return out + " WHERE false";
}

void append_select(std::string& sql, const std::string& select) {
  sql += (sql.empty() ? "" : " UNION ALL BY NAME ") + select;
}

}  // namespace

expression::ScanValues dimension_values(const Dataset& dataset) {
  expression::ScanValues out;
  const std::vector<Dimension>& dimensions = dataset.collection().dimensions;
  const ColumnNames names(dataset.collection());
  for (std::size_t i = 0; i < dimensions.size() && i < dataset.identity().dimensions.size(); ++i) {
    const std::string& text = dataset.identity().dimensions[i];
    expression::ScanValue value;
    if (text != kNullPartition && dimensions[i].is_integer) {
      std::int64_t number = 0;
      const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
      if (end.ec != std::errc{} || end.ptr != text.data() + text.size()) continue;
      value = number;
    } else if (text != kNullPartition) {
      value = text;
    }
    out.emplace(to_lower_ascii(names.of_dimension(i)), std::move(value));
  }
  return out;
}

CollectionDataset::CollectionDataset(std::vector<Part> parts)
    : Dataset(collection_identity(parts)), parts_(std::move(parts)) {}

Result<Table> CollectionDataset::inspect(engine::Engine& engine, const engine::RunLimits& limits) const {
  ColumnNames names(collection());
  names.add_columns(parts_);
  std::string sql;
  std::set<std::string> seen;
  for (const Part& part : parts_) {
    std::string select = empty_sql(part, names);
    if (const auto [at, is_new] = seen.insert(std::move(select)); is_new) append_select(sql, *at);
  }
  SLUICE_TRY(engine::Description description, engine.describe({.sql = std::move(sql)}, limits));
  return Table{.columns = std::move(description.columns), .reader = "", .row_number = "row_number() OVER ()"};
}

Result<Relation> CollectionDataset::open(const Table& /*table*/, const engine::RunLimits& limits,
                                         const expression::Question* question) const {
  // A part cannot answer a question about all of them. It is asked for its rows, in their order if they are
  // shown.
  const expression::Question rows;
  const bool is_ordered = question != nullptr && !question->is_grouped && !question->is_order_free;
  ColumnNames names(collection());
  names.add_columns(parts_);
  std::string sql;
  auto lease = std::make_shared<std::vector<std::shared_ptr<const void>>>();
  Run run;
  const auto end_run = [&] {
    if (!run.parts.empty()) append_select(sql, select_sql(run, names));
    run = {};
  };
  std::set<std::string> empty;
  for (const Part& part : parts_) {
    if (!part.has_rows) {
      empty.insert(empty_sql(part, names));
      continue;
    }
    SLUICE_TRY(Relation relation, part.dataset->open(*part.table, limits, is_ordered ? &rows : nullptr));
    lease->push_back(relation.lease);
    std::string form = form_of(part, relation);
    if (form.empty() || form != run.form) end_run();
    run.form = std::move(form);
    run.parts.push_back(&part);
    run.relations.push_back(std::move(relation));
  }
  end_run();
  for (const std::string& select : empty) append_select(sql, select);
  return Relation{.sql = "(" + sql + ")", .scan = {}, .lease = std::move(lease)};
}

std::vector<const engine::Database*> CollectionDataset::databases() const {
  std::vector<const engine::Database*> out;
  for (const Part& part : parts_) {
    for (const engine::Database* one : part.dataset->databases()) out.push_back(one);
  }
  return out;
}

bool CollectionDataset::is_current() const {
  return std::all_of(parts_.begin(), parts_.end(),
                     [](const Part& part) { return !part.has_rows || part.dataset->is_current(); });
}

Result<std::string> CollectionDataset::read_beside(std::string_view /*suffix*/) const {
  return not_found("a collection has no file beside it");
}

}  // namespace sluice::query

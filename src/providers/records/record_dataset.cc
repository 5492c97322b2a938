#include "record_dataset.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/engine/sql.h"
#include "sluice/json/value.h"
#include "sluice/records/schema_file.h"

#include "resources.h"

namespace sluice::records_provider {

namespace {

constexpr std::chrono::milliseconds kLookTime{200};
constexpr std::string_view kCardSuffix = ".schema.json";

// What ends a read: the statement that reads, or the question that the source was opened for.
engine::RunLimits narrower(const engine::RunLimits& question, const engine::RunLimits& statement) {
  return {.deadline = std::min(question.deadline, statement.deadline),
          .stop = statement.stop.stop_possible() ? statement.stop : question.stop};
}

engine::Type type_in_table(const engine::Type& type) {
  return engine::is_readable(type) ? type : engine::Type{.id = engine::TypeId::kText};
}

// The columns as statements know them: the engine takes names that differ only in case for one.
expression::Columns columns_of(const records::View& view) {
  expression::Columns out;
  for (const engine::Field& column : view.columns) {
    std::string name = column.name;
    const auto is_taken = [&] {
      return std::any_of(out.begin(), out.end(),
                         [&](const engine::Field& other) { return equal_ignoring_case(other.name, name); });
    };
    while (is_taken()) name += '_';
    out.push_back({.name = std::move(name), .type = type_in_table(column.type)});
  }
  return out;
}

bool is_same(const expression::Columns& a, const expression::Columns& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& left, const auto& right) {
    return left.name == right.name && engine::sql_name(left.type) == engine::sql_name(right.type);
  });
}

// The statement is this program's own, so that only the file can be at fault.
Error reading_failed(Error error, const std::string& data_type) {
  if (error.kind != ErrorKind::kInvalidInput && error.kind != ErrorKind::kUnavailable) return error;
  return invalid_input(fmt::format("read records: the file of the data type is broken: {}", data_type))
      .with_code("unreadable_file")
      .with_hint("Put a good copy of the file there, or bring the records back with restore_snapshot.");
}

class RecordRows final : public engine::Rows {
 public:
  RecordRows(std::unique_ptr<engine::Rows> rows, std::shared_ptr<const records::View> view)
      : view_(std::move(view)), rows_(std::move(rows)) {}

  const std::vector<engine::Field>& columns() const override { return rows_->columns(); }
  Result<const engine::Batch*> next() override {
    Result<const engine::Batch*> batch = rows_->next();
    if (!batch.ok()) return reading_failed(std::move(batch).error(), view_->data_type);
    return batch;
  }

 private:
  const std::shared_ptr<const records::View> view_;  // Shared with the source; it keeps the files open.
  const std::unique_ptr<engine::Rows> rows_;
};

enum class RowOrder : std::uint8_t { kAny, kOfRecords };

// The records of one moment.
class RecordSource final : public engine::Source {
 public:
  RecordSource(records::View view, RowOrder order, engine::RunLimits limits)
      : view_(std::make_shared<const records::View>(std::move(view))),
        columns_(columns_of(*view_)),
        order_(order),
        limits_(std::move(limits)) {}

  const std::vector<engine::Field>& columns() const override { return columns_; }

  Result<std::unique_ptr<engine::Rows>> read(const std::vector<std::size_t>& wanted,
                                             const engine::ReadOptions& options) override {
    Result<std::unique_ptr<engine::Rows>> rows =
        view_->engine->query({.sql = select(wanted), .parameters = {}}, narrower(limits_, options.limits));
    if (!rows.ok()) return reading_failed(std::move(rows).error(), view_->data_type);
    return std::unique_ptr<engine::Rows>(std::make_unique<RecordRows>(*std::move(rows), view_));
  }

 private:
  std::string select(const std::vector<std::size_t>& wanted) const {
    std::string list;
    for (const std::size_t i : wanted) {
      const engine::Field& column = view_->columns[i];
      const std::string name = engine::quote_name(column.name);
      list += list.empty() ? "" : ", ";
      list += engine::is_readable(column.type) ? name : fmt::format("CAST({} AS VARCHAR)", name);
    }
    if (list.empty()) list = "true";
    std::string sql = fmt::format("SELECT {} FROM {}", list, view_->relation);
    if (order_ == RowOrder::kOfRecords && !view_->is_ordered)
      sql += fmt::format(" ORDER BY {}", engine::quote_name(records::kRowColumn));
    return sql;
  }

  const std::shared_ptr<const records::View> view_;  // Shared with the rows that are being read.
  const std::vector<engine::Field> columns_;
  const RowOrder order_;
  const engine::RunLimits limits_;
};

// Rows that are shown, numbered or limited come in the order of the records; a sort for groups and joins
// would be in vain.
RowOrder order_for(const expression::Question* question) {
  return question != nullptr && !question->is_grouped ? RowOrder::kOfRecords : RowOrder::kAny;
}

}  // namespace

RecordDataset::RecordDataset(Identity identity, Sources sources)
    : Dataset(std::move(identity)), sources_(std::move(sources)) {}

std::string RecordDataset::version_of(const Result<records::View>& view) {
  if (!view.ok()) return view.error().code;
  return view->file_digest.empty() ? std::to_string(view->version)
                                   : fmt::format("{}.{}", view->version, view->file_digest);
}

Result<query::Table> RecordDataset::inspect(engine::Engine& /*engine*/,
                                            const engine::RunLimits& limits) const {
  SLUICE_TRY(const records::View view, sources_.data_type->glance(limits));
  query::Table table;
  table.columns = columns_of(view);
  table.row_number = "row_number() OVER ()";
  return table;
}

Result<query::Relation> RecordDataset::open(const query::Table& table, const engine::RunLimits& limits,
                                            const expression::Question* question) const {
  SLUICE_TRY(records::View view, sources_.data_type->view(limits));
  auto source = std::make_shared<RecordSource>(std::move(view), order_for(question), limits);
  if (!is_same(source->columns(), table.columns)) {
    return conflict("read dataset: the columns of the data type have changed: " + excerpt(name()))
        .with_code("dataset_changed")
        .with_hint("Ask again. get_schema lists the columns that there are now.");
  }
  engine::Sources::Offer offer = sources_.external_tables->offer(std::move(source));
  query::Relation relation;
  relation.sql = std::move(offer.sql);
  relation.lease = std::move(offer.lease);
  return relation;
}

std::string RecordDataset::uri(std::string_view part) const {
  const std::string& data_type = sources_.data_type->name();
  return part == "schema" ? schema_uri(data_type) : collection_uri(data_type) + "/" + std::string(part);
}

bool RecordDataset::is_current() const {
  return version_of(sources_.data_type->glance({.deadline = system_clock().now() + kLookTime, .stop = {}})) ==
         identity().version;
}

query::CountState RecordDataset::count_state() const {
  const query::CountState known = Dataset::count_state();
  return known == query::CountState::kExact && !is_current() ? query::CountState::kEstimated : known;
}

Result<std::string> RecordDataset::read_beside(std::string_view suffix) const {
  if (suffix != kCardSuffix) return not_found("a data type has no such file beside it");
  SLUICE_TRY(const std::optional<records::SchemaFile> schema,
             records::read_schema_file(sources_.store->root(), sources_.data_type->name()));
  const json::Value* description = schema ? schema->content.find("description") : nullptr;
  if (description == nullptr || description->if_string() == nullptr)
    return not_found("the schema file has no description");
  return json::to_text(json::Object{{"description", *description}});
}

}  // namespace sluice::records_provider

#include "record_dataset.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sluice/base/log.h"
#include "sluice/base/text.h"
#include "sluice/engine/sql.h"
#include "sluice/json/value.h"
#include "sluice/records/schema_file.h"

#include "record_source.h"
#include "resources.h"

namespace sluice::records_provider {

namespace {

constexpr std::chrono::milliseconds kVersionLookTime{200};
constexpr std::string_view kCardSuffix = ".schema.json";

bool is_same(const expression::Columns& a, const expression::Columns& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& left, const auto& right) {
    return left.name == right.name && engine::sql_name(left.type) == engine::sql_name(right.type);
  });
}

// Rows that are shown, numbered or limited come in the order of the records; a sort for groups and joins
// would be in vain.
RowOrder order_for(const expression::Question* question) {
  const bool needs_order = question != nullptr && !question->is_grouped && !question->is_order_free;
  return needs_order ? RowOrder::kOfRecords : RowOrder::kAny;
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
  query::Table table;
  if (sources_.past) {
    table.columns = columns_of(*sources_.past);
  } else {
    SLUICE_TRY(const records::View view, sources_.data_type->glance(limits));
    table.columns = columns_of(view);
  }
  table.row_number = "row_number() OVER ()";
  return table;
}

Result<std::shared_ptr<const records::View>> RecordDataset::view(const engine::RunLimits& limits) const {
  if (sources_.past) return sources_.past;
  SLUICE_TRY(records::View current, sources_.data_type->view(limits));
  return std::make_shared<const records::View>(std::move(current));
}

Result<query::DatasetPtr> RecordDataset::at_version(std::int64_t version,
                                                    const engine::RunLimits& limits) const {
  SLUICE_TRY(const records::View now, sources_.data_type->glance(limits));
  if (version > now.version) {
    return invalid_input(fmt::format("{} has no version {} yet", excerpt(name()), version))
        .with_code("unknown_version")
        .with_hint(fmt::format("The records have version {}.", now.version));
  }
  SLUICE_TRY(records::View then, sources_.data_type->view_of(version, limits));
  Identity of_then = identity();
  of_then.version = fmt::format("at {}", version);
  Sources sources = sources_;
  sources.past = std::make_shared<const records::View>(std::move(then));
  auto out = std::make_shared<const RecordDataset>(std::move(of_then), sources);
  out->set_row_count(sources.past->rows);
  return query::DatasetPtr(std::move(out));
}

Result<query::Relation> RecordDataset::open(const query::Table& table, const engine::RunLimits& limits,
                                            const expression::Question* question) const {
  SLUICE_TRY(const std::shared_ptr<const records::View> view, this->view(limits));
  if (!is_same(columns_of(*view), table.columns)) {
    return conflict("read dataset: the columns of the data type have changed: " + excerpt(name()))
        .with_code("dataset_changed")
        .with_hint("Ask again.");
  }
  query::Relation relation;
  if (question != nullptr) relation.answer = answer_source(view, *question, limits);
  if (relation.answer) log::debug("records.answer", {{"dataset", name()}});
  engine::Sources::Offer offer = sources_.external_tables->offer(
      relation.answer ? relation.answer
                      : scan_source(view, order_for(question),
                                    question == nullptr ? plan::PhysicalPlan() : question->plan, limits));
  relation.sql = std::move(offer.sql);
  relation.lease = std::move(offer.lease);
  return relation;
}

std::string RecordDataset::uri(std::string_view part) const {
  const std::string& data_type = sources_.data_type->name();
  return part == "schema" ? schema_uri(data_type) : collection_uri(data_type) + "/" + std::string(part);
}

bool RecordDataset::is_current() const {
  if (sources_.past) return true;
  return version_of(sources_.data_type->glance(
             {.deadline = system_clock().now() + kVersionLookTime, .stop = {}})) == identity().version;
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

#include "dataset_tools.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/base/uri.h"

#include "lean/ordered_text.h"
#include "lean/profile_store.h"

namespace sluice::datasets {

namespace {

using query::Collection;
using query::DatasetPtr;
using query::Inventory;

constexpr std::size_t kNamesListed = 12;
constexpr std::size_t kNamesCompared = 5'000;  // For the nearest one; a large folder would take too long.
constexpr std::chrono::seconds kFirstScanWait{30};
constexpr std::chrono::seconds kAnswerTime{1};
constexpr std::chrono::seconds kProfileTime{10};  // For the statistics of one table.

Error dataset_not_found(const Inventory& inventory, std::string_view wanted) {
  std::vector<std::string> names;
  for (const DatasetPtr& dataset : inventory.datasets()) {
    if (names.size() == kNamesCompared) break;
    names.push_back(dataset->name());
  }
  const std::string nearest = nearest_name(wanted, names);
  std::string hint = nearest.empty() ? "" : fmt::format("Did you mean {}? ", excerpt(nearest));
  hint += "get_catalog lists what there is.";
  return not_found(fmt::format("dataset not found: {}", excerpt(wanted)))
      .with_code("dataset_not_found")
      .with_hint(hint);
}

// A dimension as it stands in a URI or a file's name.
std::optional<std::string> dimension_text(const json::Value& value) {
  if (const std::string* text = value.if_string()) return *text;
  if (const json::Number* number = value.if_number()) {
    if (const auto whole = number->as_int64()) return std::to_string(*whole);
  }
  return std::nullopt;
}

// Whether a dataset has the values that were given for its dimensions, in whatever case.
bool fits(const query::Dataset& dataset, const std::vector<std::optional<std::string>>& wanted) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] && !equal_ignoring_case(*wanted[i], dataset.identity().dimensions[i])) return false;
  }
  return true;
}

// The datasets of a collection that have the given values of some dimensions; all of them if none has.
std::string available(const Inventory& inventory, const Collection& collection,
                      const std::vector<std::optional<std::string>>& wanted) {
  std::string fitting;
  std::string any;
  std::size_t fitting_count = 0;
  std::size_t any_count = 0;
  const auto add = [](std::string& list, std::size_t& count, const std::string& name) {
    if (++count > kNamesListed) return;
    (list += list.empty() ? "" : ", ") += excerpt(name);
  };
  for (const DatasetPtr& dataset : inventory.datasets()) {
    if (dataset->collection().name != collection.name) continue;
    add(any, any_count, dataset->name());
    if (fits(*dataset, wanted)) add(fitting, fitting_count, dataset->name());
  }
  const bool has_fitting = fitting_count > 0;
  return (has_fitting ? fitting : any) +
         ((has_fitting ? fitting_count : any_count) > kNamesListed ? ", …" : "");
}

// The dataset that differs in nothing but the case of its dimensions, or else the one whose name is most like
// `wanted`.
std::string nearest_dataset(const Inventory& inventory, const Collection& collection,
                            const std::vector<std::optional<std::string>>& wanted, std::string_view name) {
  std::vector<std::string> names;
  for (const DatasetPtr& dataset : inventory.datasets()) {
    if (dataset->collection().name != collection.name) continue;
    if (fits(*dataset, wanted)) return dataset->name();
    if (names.size() < kNamesCompared) names.push_back(dataset->name());
  }
  return nearest_name(name, names);
}

// What a call says about the dimensions of a collection.
struct GivenDimensions {
  std::vector<std::optional<std::string>> values;  // One for each dimension.
  std::vector<std::string> missing;                // Names of those without a value.
  bool is_addressed = false;                       // At least one was given.
};

GivenDimensions given_dimensions(const Collection& collection, const json::Object& arguments) {
  GivenDimensions out;
  for (const query::Dimension& dimension : collection.dimensions) {
    const json::Value* value = arguments.find(dimension.name);
    std::optional<std::string> text = value == nullptr ? std::nullopt : dimension_text(*value);
    out.is_addressed = out.is_addressed || text.has_value();
    if (!text && !dimension.usual.empty()) text = dimension.usual;
    if (!text) out.missing.push_back(dimension.name);
    out.values.push_back(std::move(text));
  }
  return out;
}

Error no_such_dataset(const Inventory& inventory, const Collection& collection,
                      const GivenDimensions& given) {
  std::string wanted;
  for (const auto& value : given.values) (wanted += wanted.empty() ? "" : "_") += *value;
  const std::string nearest = nearest_dataset(inventory, collection, given.values, wanted);
  // The other values of the first dimension, which is the year or its like, are the most useful to know.
  std::vector<std::optional<std::string>> same_first(given.values.size());
  same_first.front() = given.values.front();
  return not_found(fmt::format("dataset not found: {}", excerpt(wanted)))
      .with_code("dataset_not_found")
      .with_hint(fmt::format("{}There are: {}.",
                             nearest.empty() ? "" : fmt::format("Did you mean {}? ", excerpt(nearest)),
                             available(inventory, collection, same_first)));
}

Error missing_dimensions(const Inventory& inventory, const Collection& collection,
                         const GivenDimensions& given) {
  return invalid_input(fmt::format("no dataset given: {} is missing", fmt::join(given.missing, ", ")))
      .with_code("missing_dataset")
      .with_hint(fmt::format("Pass every dimension of the collection, or `dataset`. There are: {}.",
                             available(inventory, collection, given.values)));
}

// scheme://a/b/schema, scheme://a/b
DatasetPtr by_uri(const Inventory& inventory, std::string_view uri) {
  const std::size_t mark = uri.find("://");
  if (mark == std::string_view::npos) return nullptr;
  const std::string_view rest = uri.substr(mark + 3);
  for (const DatasetPtr& dataset : inventory.datasets()) {
    if (dataset->collection().scheme != uri.substr(0, mark)) continue;
    const std::string base = dataset->uri("");  // Ends in a slash.
    const std::string_view path = std::string_view(base).substr(mark + 3);
    if (rest == path.substr(0, path.size() - 1) || rest == path) return dataset;
    if (rest.starts_with(path) && rest.find('/', path.size()) == std::string_view::npos) return dataset;
  }
  return nullptr;
}

struct CapName {
  std::string_view name;
  std::uint64_t Budget::*member;
};
constexpr CapName kCaps[] = {{"max_rows", &Budget::rows},
                             {"max_cells", &Budget::cells},
                             {"max_bytes", &Budget::bytes},
                             {"max_tokens", &Budget::tokens}};

// The store of tables is for the datasets of the server: results and collections belong to a call.
Result<std::shared_ptr<const query::Table>> inspect(const Services& services, const Subject& subject,
                                                    const engine::RunLimits& limits) {
  const Inventory inventory = services.registry->inventory();
  if (inventory.find(subject.dataset->name()) == subject.dataset)
    return services.tables->get(*subject.engine, *subject.dataset, limits);
  SLUICE_TRY(query::Table table, subject.dataset->inspect(*subject.engine, limits));
  return std::make_shared<const query::Table>(std::move(table));
}

lean::ProfilePtr compute_profile(const Services& services, const DatasetPtr& dataset, std::stop_token stop) {
  const engine::RunLimits limits{.deadline = system_clock().now() + kProfileTime, .stop = std::move(stop)};
  Result<std::shared_ptr<engine::Engine>> engine = services.engines->get();
  if (!engine.ok()) return nullptr;
  Subject subject{.dataset = dataset, .table = {}, .engine = *std::move(engine), .guard = {}};
  Result<std::shared_ptr<const query::Table>> table = inspect(services, subject, limits);
  if (!table.ok()) return nullptr;
  subject.table = *std::move(table);
  Result<lean::TableProfile> profile = lean::profile_table(subject, limits);
  if (!profile.ok()) return nullptr;
  return std::make_shared<const lean::TableProfile>(*std::move(profile));
}

}  // namespace

DatasetTools::DatasetTools(Services services)
    : services_(std::move(services)),
      answers_(std::make_unique<AnswerCache>(*services_.clock)),
      profiles_(std::make_unique<lean::ProfileStore>(*services_.clock,
                                                     [this](const DatasetPtr& dataset, std::stop_token stop) {
                                                       return compute_profile(services_, dataset,
                                                                              std::move(stop));
                                                     })),
      ordered_text_(std::make_unique<lean::OrderedText>()) {
  if (!services_.result_names) services_.result_names = std::make_shared<lean::ResultNames>();
}

DatasetTools::~DatasetTools() = default;

void DatasetTools::wait_for_scan(std::chrono::milliseconds bound) const {
  if (services_.ready.valid()) services_.ready.wait_for(bound);
}

Inventory DatasetTools::inventory() const {
  wait_for_scan(kFirstScanWait);
  return inventory_now();
}

Result<DatasetPtr> DatasetTools::locate(std::string_view name_or_uri) const {
  const Inventory all = inventory();
  if (DatasetPtr found = all.find(name_or_uri)) return found;
  if (DatasetPtr found = by_uri(all, name_or_uri)) return found;
  return dataset_not_found(all, name_or_uri);
}

Result<DatasetPtr> DatasetTools::locate(const json::Object& arguments) const {
  if (const json::Value* name = arguments.find("dataset"); name != nullptr && name->if_string() != nullptr) {
    return locate(std::string_view(*name->if_string()));
  }
  const Inventory all = inventory();
  std::optional<Error> incomplete;
  for (const auto& collection : all.collections()) {
    if (collection->dimensions.empty()) continue;
    const GivenDimensions given = given_dimensions(*collection, arguments);
    if (!given.is_addressed) continue;
    if (!given.missing.empty()) {
      if (!incomplete) incomplete = missing_dimensions(all, *collection, given);
      continue;
    }
    std::vector<std::string> values;
    for (const auto& value : given.values) values.push_back(*value);
    if (DatasetPtr found = all.find(*collection, values)) return found;
    return no_such_dataset(all, *collection, given);
  }
  if (incomplete) return *std::move(incomplete);
  return invalid_input("no dataset given")
      .with_code("missing_dataset")
      .with_hint("Pass `dataset`, or every dimension of its collection. get_catalog lists the datasets.");
}

Result<Subject> DatasetTools::open(const DatasetPtr& dataset, const catalog::Context& context) const {
  Subject subject;
  subject.dataset = dataset;
  subject.guard = guard_of(context);
  SLUICE_TRY(subject.engine, services_.engines->get());
  SLUICE_TRY(subject.table, services_.tables->get(*subject.engine, *dataset, limits_of(context)));
  return subject;
}

Result<Subject> DatasetTools::open(const json::Object& arguments, const catalog::Context& context) const {
  SLUICE_TRY(const DatasetPtr dataset, locate(arguments));
  return open(dataset, context);
}

std::uint64_t DatasetTools::answer_bytes() const {
  constexpr std::uint64_t kEnvelopeBytes = 500;
  const Budget& usual = services_.limits.usual;
  const std::uint64_t bytes = std::min(usual.bytes, usual.tokens * 4);
  return bytes > 2 * kEnvelopeBytes ? bytes - kEnvelopeBytes : bytes / 2;
}

Budget DatasetTools::budget(const json::Object& arguments, std::vector<std::string>& warnings) const {
  Budget budget = services_.limits.usual;
  for (const CapName& cap : kCaps) {
    const json::Value* value = arguments.find(cap.name);
    const json::Number* number = value == nullptr ? nullptr : value->if_number();
    if (number == nullptr) continue;
    const std::int64_t asked = std::max<std::int64_t>(1, number->as_int64().value_or(1));
    const std::uint64_t ceiling = services_.limits.ceiling.*cap.member;
    if (static_cast<std::uint64_t>(asked) > ceiling) {
      warnings.push_back(
          fmt::format("{} was lowered from {} to this server's ceiling of {}.", cap.name, asked, ceiling));
    }
    budget.*cap.member = std::min(static_cast<std::uint64_t>(asked), ceiling);
  }
  return budget;
}

// The engine stops a little before the request does: else the caller hears that time ran out, and not what to
// do about it.
engine::RunLimits limits_of(const catalog::Context& context) {
  const Monotonic deadline = context.deadline();
  const Monotonic now = system_clock().now();
  if (deadline == Monotonic::max() || deadline <= now) return {.deadline = deadline, .stop = context.stop()};
  const Monotonic::duration margin = std::min<Monotonic::duration>(kAnswerTime, (deadline - now) / 10);
  return {.deadline = deadline - margin, .stop = context.stop()};
}

std::string role_column(const Collection& collection, const expression::Columns& columns,
                        std::string_view role) {
  for (const query::Role& one : collection.roles) {
    if (one.name != role) continue;
    for (const std::string& name : one.columns) {
      if (query::find_column(columns, name).ok()) return name;
    }
  }
  return "";
}

void write_identity(json::Writer& out, const query::Dataset& dataset) {
  out.field("dataset", dataset.name());
  const std::vector<query::Dimension>& dimensions = dataset.collection().dimensions;
  for (std::size_t i = 0; i < dimensions.size() && i < dataset.identity().dimensions.size(); ++i) {
    const std::string& value = dataset.identity().dimensions[i];
    std::int64_t number = 0;
    const bool is_number =
        std::from_chars(value.data(), value.data() + value.size(), number).ec == std::errc{};
    if (dimensions[i].is_integer && is_number) {
      out.field(dimensions[i].name, number);
    } else {
      out.field(dimensions[i].name, value);
    }
  }
}

void write_warnings(json::Writer& out, const std::vector<std::string>& warnings) {
  if (warnings.empty()) return;
  out.key("warnings").begin_array();
  for (const std::string& warning : warnings) out.string(warning);
  out.end_array();
}

void write_names(json::Writer& out, std::string_view key, const std::vector<engine::Field>& columns) {
  out.key(key).begin_array();
  for (const engine::Field& column : columns) out.string(column.name);
  out.end_array();
}

}  // namespace sluice::datasets

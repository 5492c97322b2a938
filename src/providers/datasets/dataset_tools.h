#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/catalog/context.h"
#include "sluice/datasets/datasets_provider.h"
#include "sluice/datasets/result_names.h"
#include "sluice/json/value.h"
#include "sluice/json/writer.h"
#include "sluice/query/answer.h"
#include "sluice/query/estimate.h"
#include "sluice/query/query_arguments.h"

#include "answer/answer_cache.h"

namespace sluice::datasets {

namespace lean {
class OrderedText;
class ProfileStore;
}  // namespace lean

// A dataset that a call is about, with all that is needed to ask it something.
struct Subject {
  query::DatasetPtr dataset;
  std::shared_ptr<const query::Table> table;  // Shared with the store of tables.
  std::shared_ptr<engine::Engine> engine;     // Shared with the slot; this call ends on it.
  plan::Guard guard;                          // The rules of the caller.
};

// What every tool needs: finds what a call is about, and how much it may answer. Any thread.
class DatasetTools {
 public:
  explicit DatasetTools(Services services);
  ~DatasetTools();
  DatasetTools(const DatasetTools&) = delete;
  DatasetTools& operator=(const DatasetTools&) = delete;

  const Services& services() const { return services_; }
  AnswerCache& answers() const { return *answers_; }
  lean::ResultNames& results() const { return *services_.result_names; }
  lean::ProfileStore& profiles() const { return *profiles_; }
  lean::OrderedText& ordered_text() const { return *ordered_text_; }
  // Waits until the folders have been read for the first time, at most for `bound`.
  void wait_for_scan(std::chrono::milliseconds bound) const;
  // All datasets there are. Waits, within bounds, while the folders are read for the first time.
  query::Inventory inventory() const;
  // The same at once, with collections that may not have their datasets yet.
  query::Inventory inventory_now() const { return services_.registry->inventory(); }

  // By `dataset` (a name or a URI), or by the dimensions of a collection.
  Result<query::DatasetPtr> locate(const json::Object& arguments) const;
  Result<query::DatasetPtr> locate(std::string_view name_or_uri) const;
  Result<Subject> open(const query::DatasetPtr& dataset, const catalog::Context& context) const;
  Result<Subject> open(const json::Object& arguments, const catalog::Context& context) const;

  // The budget of a call: `max_rows`, `max_cells`, `max_bytes` and `max_tokens` go down, and up to the
  // ceiling.
  // The bytes of an answer that has no caps of its own: what the usual budget leaves beside an envelope.
  std::uint64_t answer_bytes() const;
  Budget budget(const json::Object& arguments, std::vector<std::string>& warnings) const;

  // Who calls, under which rules.
  Caller caller_of(const catalog::Context& context) const {
    return {.principal = context.principal(), .policy = policy_of(services_.policies, context.principal())};
  }
  plan::Guard guard_of(const catalog::Context& context) const {
    return plan::Guard(caller_of(context).policy);
  }
  // Whose names of results the call uses.
  lean::ResultNames::Owner owner_of(const catalog::Context& context) const {
    return {
        .principal = context.principal(), .session = context.session(), .policy = caller_of(context).policy};
  }

 private:
  Services services_;
  std::unique_ptr<AnswerCache> answers_;
  std::unique_ptr<lean::ProfileStore> profiles_;
  std::unique_ptr<lean::OrderedText> ordered_text_;
};

engine::RunLimits limits_of(const catalog::Context& context);

// The column that has a role in a table of the collection; empty where none has.
std::string role_column(const query::Collection& collection, const expression::Columns& columns,
                        std::string_view role);

// The dimensions of a dataset as members, and its name.
void write_identity(json::Writer& out, const query::Dataset& dataset);
void write_warnings(json::Writer& out, const std::vector<std::string>& warnings);
void write_names(json::Writer& out, std::string_view key, const std::vector<engine::Field>& columns);

}  // namespace sluice::datasets

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "sluice/base/result.h"
#include "sluice/catalog/context.h"
#include "sluice/engine/engine.h"
#include "sluice/json/value.h"
#include "sluice/plan/guarded_plan.h"
#include "sluice/records/data_type.h"
#include "sluice/records/schema_file.h"
#include "sluice/records/store.h"
#include "sluice/records/view.h"
#include "sluice/records_provider/records_provider.h"

namespace sluice::records_provider {

// What a call is about: a data type and its records at one moment.
struct Subject {
  std::shared_ptr<records::DataType> data_type;  // Shared with the store.
  records::View view;
};

// What every tool needs: finds what a call is about, and how much it may answer. Any thread.
class RecordTools {
 public:
  explicit RecordTools(Services services) : services_(services) {}

  records::Store& store() const { return *services_.store; }
  const Budget& budget() const { return services_.budget; }
  plan::Guard guard_of(const catalog::Context& context) const {
    return plan::Guard(policy_of(services_.policies, context.principal()));
  }

  // By `data_type`. The hint of kNotFound names the nearest data type.
  Result<std::shared_ptr<records::DataType>> find(std::string_view name) const;
  Result<Subject> open(std::string_view name, const catalog::Context& context) const;
  Result<Subject> open(const json::Object& arguments, const catalog::Context& context) const;
  // The schema file's object; nothing where there is none. A broken file declares nothing for a reader of
  // records.
  std::optional<records::SchemaFile> declared(std::string_view data_type) const;

 private:
  Services services_;
};

// The engine stops a little before the request does, so that the caller hears what to do about it.
engine::RunLimits limits_of(const catalog::Context& context);

}  // namespace sluice::records_provider

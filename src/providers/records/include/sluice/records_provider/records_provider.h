#pragma once

#include <memory>

#include "sluice/base/budget.h"
#include "sluice/base/caller.h"
#include "sluice/catalog/provider.h"
#include "sluice/records/store.h"

namespace sluice::records_provider {

// What the tools work with. All of it must outlive the provider.
struct Services {
  records::Store* store = nullptr;
  bool offers_get_schema =
      true;           // False where another provider offers it and passes on what is about records.
  Policies policies;  // The rules of callers.
  Budget budget;      // Of one answer. Where a call gives `limit`, its tokens do not count.
};

// Every tool, prompt and resource over the data types of a store. Tools that change records are offered where
// the store is writable. It listens to the store, so there is one provider for a store.
std::shared_ptr<catalog::Provider> make_records_provider(Services services);

}  // namespace sluice::records_provider

#pragma once

#include <memory>

#include "sluice/base/caller.h"
#include "sluice/catalog/provider.h"
#include "sluice/databases/databases.h"

namespace sluice::databases {

// The tables of the databases as db:// resources: their schemas and their first rows. Both outlive it.
std::shared_ptr<catalog::Provider> make_databases_provider(const Databases& databases,
                                                           query::Registry& registry, Policies policies = {});

}  // namespace sluice::databases

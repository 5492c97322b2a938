#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sluice/engine/engine.h"
#include "sluice/query/statement_dataset.h"

namespace sluice::datasets::lean {

// Why a statement has no rows, if a comparison with a text explains it: "state has the values AL, AK and no
// Florida". Empty: not known, or not found out within a short time.
std::string why_empty(engine::Engine& engine, std::string_view sql,
                      const std::vector<query::StatementDataset::Part>& tables,
                      const engine::RunLimits& limits);

}  // namespace sluice::datasets::lean

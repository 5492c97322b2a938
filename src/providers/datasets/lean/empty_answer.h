#pragma once

#include <string>
#include <vector>

#include "sluice/engine/engine.h"
#include "sluice/expression/question.h"
#include "sluice/query/statement_dataset.h"

#include "dataset_tools.h"

namespace sluice::datasets::lean {

// Who asked a statement that has no rows.
struct EmptyAnswer {
  const DatasetTools& tools;
  engine::Engine& engine;
  // Of a tool that the operator has defined: its parameters. Only values are told that a parameter may have
  // by its `values_of`. Null: the caller wrote the statement.
  const std::vector<ToolParameter>* declared = nullptr;
};

// Why a statement has no rows, if one of its comparisons with a text explains it: "state has the values AL,
// AK and no Florida". Empty: not known, or not found out within a short time.
std::string why_empty(const EmptyAnswer& answer, const std::vector<expression::TextEquality>& equalities,
                      const std::vector<query::StatementDataset::Part>& tables,
                      const engine::RunLimits& limits);

}  // namespace sluice::datasets::lean

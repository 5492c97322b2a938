#pragma once

#include <memory>
#include <vector>

#include "sluice/catalog/provider.h"
#include "sluice/datasets/defined_tool.h"

#include "dataset_tools.h"

namespace sluice::datasets::lean {

// Whether every step of the tools is one SELECT that names no placeholder but its parameters. The error
// begins with the place of the step in the configuration. The tables need not be known yet.
Status check_defined_tools(const DatasetTools& dataset_tools, const std::vector<DefinedTool>& tools);

// Offers the tools. `dataset_tools` is shared with the provider of the datasets, so that results have the
// same names.
std::shared_ptr<catalog::Provider> make_defined_tools(std::shared_ptr<const DatasetTools> dataset_tools,
                                                      std::vector<DefinedTool> tools);

}  // namespace sluice::datasets::lean

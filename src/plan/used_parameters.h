#pragma once

#include "sluice/engine/sql.h"

namespace sluice::plan {

// The statement without the parameters that its SQL does not mention, the others numbered anew in their
// order.
engine::Statement with_used_parameters(engine::Statement statement);

}  // namespace sluice::plan

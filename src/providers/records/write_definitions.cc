#include "definitions.h"

namespace sluice::records_provider {

void add_write_definitions(std::vector<ToolDefinition>&, bool) {}

}  // namespace sluice::records_provider

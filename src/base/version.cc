#include "sluice/base/version.h"

namespace sluice {

std::string_view product_version() { return SLUICE_VERSION; }

std::string_view product_commit() { return SLUICE_COMMIT; }

}  // namespace sluice

#include "sluice/protocol/model/ask.h"

namespace sluice::protocol {

bool ClientCapabilities::tasks() const { return extensions.contains(kTasksExtension); }

}  // namespace sluice::protocol

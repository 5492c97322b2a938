#pragma once

#include <memory>

#include "sluice/catalog/provider.h"

namespace reminders {

// Reminders that callers write: the tool `add_reminder`, and a resource reminder:///1, reminder:///2, … for
// each of them.
std::shared_ptr<sluice::catalog::Provider> make_reminders_provider();

}  // namespace reminders

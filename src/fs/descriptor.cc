#include "sluice/fs/descriptor.h"

#include <unistd.h>

namespace sluice::fs {

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);  // What must be durable is synced before; close has nothing to add.
}

}  // namespace sluice::fs

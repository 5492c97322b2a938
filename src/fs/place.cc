#include "sluice/fs/place.h"

namespace sluice::fs {

bool is_at(const Root& root, const std::string& path) {
  const Result<Root> there = Root::open(path);
  if (!there.ok()) return true;
  const Result<Entry> now = there->stat("");
  const Result<Entry> own = root.stat("");
  return !now.ok() || !own.ok() || now->identity == own->identity;
}

}  // namespace sluice::fs

#include "arrow_failure.h"

#include <string>

namespace sluice::arrow {

Error damaged_arrow(std::string_view what) {
  return unavailable("read Arrow file: " + std::string(what))
      .with_code("unreadable_file")
      .with_hint("The file is damaged, or not what its name says. Write it again, or replace it.");
}

Error unsupported_arrow(std::string_view what) {
  return unsupported("read Arrow file: " + std::string(what))
      .with_code("unsupported_file")
      .with_hint("Write it as Parquet, or without this type.");
}

Error too_large_arrow(std::string_view what, std::uint64_t limit) {
  return limit_reached(what, limit)
      .with_code("unreadable_file")
      .with_hint("Write the file in smaller batches, or as Parquet.");
}

}  // namespace sluice::arrow

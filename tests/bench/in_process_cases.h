#pragma once

#include <span>

namespace bench {

struct InProcessCase {
  const char* name;
  void (*run)(long count);  // Ends the program if an answer is not the right one.
};

std::span<const InProcessCase> in_process_cases();

}  // namespace bench

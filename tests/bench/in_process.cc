// Does one thing a number of times in this process, on one thread and without sockets: what `make bench-gate`
// and tests/bench/instructions count the instructions of.
//
//   bench_in_process CASE COUNT     does it
//   bench_in_process list           names the cases, one on each line
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "in_process_cases.h"

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "list") == 0) {
    for (const bench::InProcessCase& one : bench::in_process_cases()) std::printf("%s\n", one.name);
    return 0;
  }
  for (const bench::InProcessCase& one : bench::in_process_cases()) {
    if (argc != 3 || std::strcmp(argv[1], one.name) != 0) continue;
    one.run(std::strtol(argv[2], nullptr, 10));
    return 0;
  }
  std::fprintf(stderr, "usage: bench_in_process (CASE COUNT | list)\n");
  return 2;
}

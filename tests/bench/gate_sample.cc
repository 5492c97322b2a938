// Stands for bench_in_process in the tests of gate.py: cases whose work is known. WORK is the length of a
// loop.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#ifndef WORK
#define WORK 1000
#endif

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "list") == 0) {
#ifdef ONE_CASE
    std::puts("loop");
#else
    std::puts("loop\nother");
#endif
    return 0;
  }
  if (argc != 3) return 2;
  const int work = std::strcmp(argv[1], "loop") == 0 ? WORK : 1000;
  volatile unsigned sum = 0;
  for (long i = std::strtol(argv[2], nullptr, 10); i > 0; --i) {
    for (int k = 0; k < work; ++k) sum = sum + static_cast<unsigned>(k);
  }
  return 0;
}

// Prints how many tokens the lean tools expect of each text on standard input, one number a line. Texts are
// separated by zero bytes.
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>

#include "lean/token_estimate.h"

int main() {
  const std::string all(std::istreambuf_iterator<char>(std::cin), {});
  std::string_view rest = all;
  while (true) {
    const std::size_t end = rest.find('\0');
    std::cout << sluice::datasets::lean::estimate_tokens(rest.substr(0, end)) << '\n';
    if (end == std::string_view::npos) return 0;
    rest.remove_prefix(end + 1);
  }
}

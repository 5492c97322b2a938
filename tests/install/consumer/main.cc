#include <cstdlib>

#include "sluice/base/ids.h"
#include "sluice/json/reader.h"

int main() {
  const bool reads = sluice::json::read(R"({"jsonrpc":"2.0"})").ok();
  return reads && sluice::SessionId("a").text() == "a" ? EXIT_SUCCESS : EXIT_FAILURE;
}

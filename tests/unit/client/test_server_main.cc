// The server of the client's tests, as a program.
#include "sluice/host/run.h"

#include "test_registry.h"

int main(int argc, char** argv) {
  return sluice::host::run_main(argc, argv, sluice::client::testing::test_server_options(),
                                {sluice::client::testing::make_test_registry()});
}

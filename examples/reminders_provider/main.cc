// A server of one provider: docs/guides/new-provider.md explains reminders_provider.cc.
#include <utility>

#include "sluice/host/run.h"

#include "reminders_provider.h"

int main(int argc, char** argv) {
  sluice::server::ServerOptions options;
  options.info = {.name = "reminders", .version = "1.0.0"};
  return sluice::host::run_main(argc, argv, std::move(options), {reminders::make_reminders_provider()});
}

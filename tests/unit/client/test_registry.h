#pragma once

#include <memory>

#include "sluice/catalog/registry.h"
#include "sluice/server/server.h"

namespace sluice::client::testing {

// What the server of the client's tests offers, on whichever transport it runs:
//   tools      echo {text}, steps {count} (progress), wait (until it is cancelled), ask (a form), log {text},
//              touch {uri} (tells subscribers), grow (adds a tool), region {region} (mirrored in a header),
//              background (a task), large {bytes}, fail, end (ends the process)
//   resources  test://plain, test://bytes; template test://item/{name}; prompt greeting {name}
std::shared_ptr<catalog::Registry> make_test_registry();
server::ServerOptions test_server_options();

}  // namespace sluice::client::testing

#include "console_link.h"

#include <unistd.h>

#include <cstdio>
#include <string>
#include <utility>

#include "sluice/base/clock.h"
#include "sluice/base/log.h"
#include "sluice/console/console.h"
#include "sluice/host/address.h"

#include "open_browser.h"
#include "terminal.h"

namespace sluice::commands {

namespace {

// Shows the link to the console. It has a key, so that it goes to nobody but the person who started the
// server: never to the log, and to standard error only if that is a terminal.
void show_link(const std::string& url, ConsoleLink link, BrowserPage& browser) {
  if (link == ConsoleLink::kPrint) {
    std::printf("%s\n", url.c_str());
    std::fflush(stdout);
    return;
  }
  if (link == ConsoleLink::kOpen && browser.open(url)) return;
  if (is_terminal(STDERR_FILENO)) std::fprintf(stderr, "Console: %s\n", url.c_str());
}

}  // namespace

void add_console(host::RunOptions& options, ConsoleLink link, const config::Environment& environment) {
  if (!options.http || !host::is_loopback(options.http->host)) return;
  const std::shared_ptr<console::Console> pages = console::Console::create(
      {.mcp_path = options.http->path, .is_https = options.http->tls.has_value(), .clock = &system_clock()},
      options.gate);
  for (transport::HttpRoute& route : pages->routes()) options.http->routes.push_back(std::move(route));
  options.gate = pages->gate();
  // Without a screen there is no browser.
  const bool has_screen = environment("DISPLAY") || environment("WAYLAND_DISPLAY");
  if (link == ConsoleLink::kOpen && !has_screen) link = ConsoleLink::kTerminal;
  const auto browser = std::make_shared<BrowserPage>();  // Until the server ends.
  options.on_listening = [pages, browser, link](const std::string& origin) {
    show_link(origin + pages->sign_in_path(), link, *browser);
  };
}

}  // namespace sluice::commands

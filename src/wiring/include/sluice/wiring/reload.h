#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "sluice/base/background_thread.h"
#include "sluice/base/result.h"
#include "sluice/catalog/generation.h"
#include "sluice/config/config.h"
#include "sluice/config/config_file.h"
#include "sluice/config/environment.h"
#include "sluice/server/server.h"
#include "sluice/wiring/process_state.h"

namespace sluice::wiring {

// Looks at the configuration file, and those that it names, while the server runs. What it says then takes
// the place of what is served, once it is valid and the same at two looks; what is not valid is said in the
// log, and everything stays.
//
// The text is compared, not events of the file system: so saving in place, renaming, links and mounts are all
// alike, and a file that changes a thousand times a second is read four times.
class Reload {
 public:
  // Checks what a new configuration says of callers; what it returns makes the server admit them so.
  using PrepareAccess = std::function<Result<std::function<void()>>(const config::Config&)>;
  struct Options {
    std::vector<std::string> sources;  // Of the command line. One is a configuration file.
    config::Environment environment;
    config::ConfigTexts begun;                     // What the files held before the server read them.
    std::optional<datasets::ToolProfile> profile;  // Of the command line.
    std::chrono::milliseconds interval{250};
    PrepareAccess prepare_access;  // May be empty.
  };

  // `server` and `process_state` must outlive it; nobody else uses `process_state` meanwhile. `current` is
  // what is served.
  Reload(Options options, std::shared_ptr<catalog::Generation> current, server::Server& server,
         ProcessState& process_state);
  Reload(const Reload&) = delete;
  Reload& operator=(const Reload&) = delete;
  ~Reload() = default;  // Waits for what it is doing.

 private:
  void run(const std::stop_token& stop);
  void look(const std::stop_token& stop);
  config::ConfigTexts look_at_files();
  Status apply(const std::string& text, const std::stop_token& stop);
  void let_go();  // Of those that nobody uses any more.

  const Options options_;
  const std::string file_;
  server::Server& server_;
  ProcessState& process_state_;
  // Both shared with the server and calls that run. Held here to the last, so that a generation always ends
  // on this thread: one that ended on a thread of its own would wait for itself.
  std::shared_ptr<catalog::Generation> current_;
  std::vector<std::shared_ptr<catalog::Generation>> retired_;
  config::ConfigTexts served_;      // What is served,
  config::ConfigTexts decided_;     // and what was served or refused last.
  config::ConfigTexts seen_;        // At the last look. An error begins with U+0000, which no YAML holds.
  std::string named_by_;            // The text that names
  std::vector<std::string> named_;  // these files beside it.
  bool is_waiting_ = false;         // For a generation to go.
  BackgroundThread thread_;         // Last: it ends before the rest goes.
};

}  // namespace sluice::wiring

#include "sluice/wiring/reload.h"

#include <future>
#include <utility>

#include "sluice/base/log.h"
#include "sluice/base/sleep.h"
#include "sluice/wiring/generation.h"

namespace sluice::wiring {
namespace {

constexpr std::chrono::milliseconds kReadyWait{10'000};  // For the folders of a new configuration.
constexpr std::chrono::milliseconds kReadyLook{20};
constexpr std::size_t kRetiredMax = 4;  // More would be as many copies of everything; calls end in time.
constexpr char kErrorMark = '\0';

std::string look_at(const std::string& file) {
  Result<std::string> text = config::read_config_file(file);
  if (text.ok()) return *std::move(text);
  return kErrorMark + text.error().message;
}

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

}  // namespace

Reload::Reload(Options options, std::shared_ptr<catalog::Generation> current, server::Server& server,
               ProcessState& process_state)
    : options_(std::move(options)),
      file_(config::config_file_of(options_.sources).value_or("")),
      server_(server),
      process_state_(process_state),
      current_(std::move(current)),
      served_(options_.begun),
      decided_(options_.begun),
      seen_(options_.begun),
      thread_("reload", [this](const std::stop_token& stop) { run(stop); }) {}

void Reload::run(const std::stop_token& stop) {
  while (sleep_unless_stopped(options_.interval, stop)) look(stop);
}

void Reload::look(const std::stop_token& stop) {
  let_go();
  process_state_.upstreams().look_for_tokens();
  const config::ConfigTexts before = std::exchange(seen_, look_at_files());
  // A file that is being written differs from one look to the next.
  if (seen_ == decided_ || seen_ != before) return;
  if (retired_.size() >= kRetiredMax) {
    if (!std::exchange(is_waiting_, true)) log::info("config.waiting", {{"for", "calls that still run"}});
    return;
  }
  is_waiting_ = false;
  decided_ = seen_;
  if (seen_ == served_) return;  // What was refused has been taken back.
  const Status status = apply(seen_.text, stop);
  if (stop.stop_requested()) return;
  if (!status.ok()) {
    log::warning("config.rejected", {{"reason", status.error().message}});
  } else {
    served_ = seen_;
    log::info("config.reloaded");
  }
}

// The files beside are those that the text names, whether it is valid or not: what makes it valid again may
// be a change of one of them.
config::ConfigTexts Reload::look_at_files() {
  config::ConfigTexts out;
  out.text = look_at(file_);
  if (out.text != named_by_) {
    named_ = config::files_beside(out.text, file_, options_.environment);
    named_by_ = out.text;
  }
  out.beside = config::read_beside(named_);
  return out;
}

Status Reload::apply(const std::string& text, const std::stop_token& stop) {
  if (text.starts_with(kErrorMark)) return invalid_input(text.substr(1)).with_code("invalid_configuration");
  // More often what a save that failed has left than the wish to serve nothing.
  if (is_blank(text)) return invalid_input(file_ + ": is empty").with_code("invalid_configuration");
  SLUICE_TRY(config::Config config, config::config_with_text(options_.sources, text, options_.environment));
  if (options_.profile) config.tools.profile = options_.profile;
  process_state_.keep_fixed(config);
  std::function<void()> admit_as_configured = [] {};
  if (options_.prepare_access) {
    SLUICE_TRY(admit_as_configured, options_.prepare_access(config));
  }
  SLUICE_TRY(NewGeneration made, make_generation(config, process_state_));
  const Monotonic patience = system_clock().now() + kReadyWait;
  while (made.ready.valid() && made.ready.wait_for(kReadyLook) != std::future_status::ready) {
    if (stop.stop_requested()) return {};
    if (system_clock().now() > patience)
      break;  // Served as far as it is known; the rest is told as it comes.
  }
  SLUICE_CHECK(server_.replace(made.generation));
  process_state_.sources().exchange(made.source);
  admit_as_configured();
  retired_.push_back(std::exchange(current_, std::move(made.generation)));
  return {};
}

void Reload::let_go() {
  std::erase_if(retired_, [](const auto& generation) { return generation.use_count() == 1; });
}

}  // namespace sluice::wiring

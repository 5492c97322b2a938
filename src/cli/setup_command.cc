#include "setup_command.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "sluice/base/clock.h"
#include "sluice/base/text.h"
#include "sluice/config/config.h"
#include "sluice/config/config_file.h"
#include "sluice/hosts/host.h"
#include "sluice/hosts/setup.h"

#include "installed_program.h"
#include "report.h"

namespace sluice::cli {

namespace {

constexpr std::size_t kServerNameBytesMax = 64;
constexpr std::chrono::seconds kLockWaitMax{10};
constexpr int kAttemptsMax = 5;

using hosts::FileChange;
using hosts::Host;

Error usage(std::string message) { return invalid_input(message).with_code("usage"); }

std::string host_ids() {
  std::string ids;
  for (const Host& host : hosts::all_hosts()) ids += (ids.empty() ? "" : ", ") + std::string(host.id);
  return ids;
}

// Hosts put it in front of the names of tools.
Status check_server_name(const std::string& name) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  if (!name.empty() && name.size() <= kServerNameBytesMax &&
      name.find_first_not_of(kAllowed) == std::string::npos)
    return {};
  return usage(
      fmt::format("a name has at most {} letters, digits, - and _: {}", kServerNameBytesMax, excerpt(name)));
}

Result<std::vector<const Host*>> chosen_hosts(const SetupCommand& setup, const hosts::Machine& machine) {
  std::vector<const Host*> chosen;
  for (const std::string& id : setup.hosts) {
    const Host* const host = hosts::find_host(id);
    if (std::find(chosen.begin(), chosen.end(), host) == chosen.end()) chosen.push_back(host);
  }
  if (!setup.hosts.empty()) return chosen;
  for (const Host& host : hosts::all_hosts()) {
    if (hosts::has_host(machine, host)) chosen.push_back(&host);
  }
  if (chosen.empty())
    return not_found("no host was found on this machine")
        .with_hint(fmt::format("Name one with --host, or see what to write with --print: {}", host_ids()));
  return chosen;
}

// What is planned for one host: to add the server, or to take it out.
class HostSetup {
 public:
  HostSetup(const SetupCommand& setup, const hosts::Machine& machine, const hosts::ServerEntry& entry)
      : setup_(setup), machine_(machine), entry_(entry) {}

  // Shows it, asks, and writes it. False if something has failed or was not agreed to.
  bool run(const Host& host) const {
    const Result<FileChange> change = plan(host);
    if (!change) return report(host, change.error());
    if (change->changes_nothing()) {
      std::printf("%s: nothing to change in %s\n", std::string(host.name).c_str(),
                  excerpt(change->path, kPathBytesMax).c_str());
      return true;
    }
    std::printf("%s:\n%s", std::string(host.name).c_str(), hosts::describe(*change).c_str());
    if (!is_agreed()) return false;
    const Status done = write(host, *change);
    if (!done) return report(host, done.error());
    std::printf("%s: %s. Start it again.\n", std::string(host.name).c_str(), outcome(*change).c_str());
    return true;
  }

 private:
  static constexpr std::size_t kPathBytesMax = 300;

  Result<FileChange> plan(const Host& host) const {
    return setup_.undo ? hosts::plan_undo(host, machine_, setup_.name)
                       : hosts::plan_setup(host, machine_, setup_.name, entry_);
  }

  static bool report(const Host& host, const Error& error) {
    std::fflush(stdout);
    std::fprintf(stderr, "sluice: %s: %s\n", std::string(host.name).c_str(), error.message.c_str());
    if (!error.hint.empty()) std::fprintf(stderr, "        %s\n", error.hint.c_str());
    return false;
  }

  bool is_agreed() const {
    if (setup_.yes) return true;
    if (::isatty(STDIN_FILENO) != 1 || ::isatty(STDOUT_FILENO) != 1) {
      std::fflush(stdout);
      std::fprintf(stderr, "sluice: nothing was written; run it in a terminal, or with --yes\n");
      return false;
    }
    std::printf("Write this? [y/N] ");
    std::fflush(stdout);
    std::string answer;
    std::getline(std::cin, answer);
    const std::string word = to_lower_ascii(trim_spaces(answer));
    if (word == "y" || word == "yes") return true;
    std::printf("Nothing was written.\n");
    return false;
  }

  // With --yes nobody agreed to the change that was shown, so it is planned anew if the file changes
  // meanwhile.
  Status write(const Host& host, FileChange change) const {
    const Monotonic deadline = system_clock().now() + kLockWaitMax;
    for (int attempt = 1;; ++attempt) {
      const Status done = hosts::carry_out(change, deadline);
      if (done || !setup_.yes || done.error().code != "host_file_changed" || attempt == kAttemptsMax)
        return done;
      SLUICE_TRY(change, plan(host));
    }
  }

  static std::string outcome(const FileChange& change) {
    const std::string path = excerpt(change.path, kPathBytesMax);
    if (!change.after) return "removed " + path;
    if (!change.writes_copy) return "wrote " + path;
    return fmt::format("wrote {}; as it was it is in {}", path, excerpt(change.copy_path, kPathBytesMax));
  }

  const SetupCommand& setup_;
  const hosts::Machine& machine_;
  const hosts::ServerEntry& entry_;
};

int print_host(const SetupCommand& setup, const hosts::ServerEntry& entry) {
  const Host& host = *hosts::find_host(setup.printed_host);
  const Result<std::string> text = hosts::add_server(host.shape, "", setup.name, entry);
  if (!text) return fail(text.error());
  std::printf("%s has its servers in\n\n", std::string(host.name).c_str());
  const auto line = [](const char* where, std::string_view path) {
    if (!path.empty()) std::printf("  %-8s %s\n", where, std::string(path).c_str());
  };
  line("Linux", host.user_file.linux_path);
  line("macOS", host.user_file.macos_path);
  line("Windows", host.user_file.windows_path);
  line("project", host.project_file);
  std::printf("\n%s", text->c_str());
  const std::string command = hosts::add_command(host, setup.name, entry);
  if (!command.empty()) std::printf("\nOr let it add the server itself:\n\n  %s\n", command.c_str());
  return 0;
}

// What would not be served is not put into a configuration.
Status check_sources(const std::vector<std::string>& sources) {
  if (sources.empty()) return usage("name what is to be served: a folder, a data file, or sluice.yaml");
  const Result<config::Config> config = config::load_config(sources, environment);
  if (!config) return config.error();
  return {};
}

}  // namespace

void add_setup(CLI::App& program, SetupCommand& setup) {
  CLI::App* command =
      program.add_subcommand("setup", "Let the hosts on this machine know a server over sources");
  command->add_option("SOURCE", setup.sources, "A folder, a data file, or sluice.yaml");
  std::vector<std::string> ids;
  for (const Host& host : hosts::all_hosts()) ids.emplace_back(host.id);
  command->add_option("--host", setup.hosts, "Only this host; may be repeated")
      ->allow_extra_args(false)
      ->type_name("HOST")
      ->check(CLI::IsMember(ids));
  command->add_option("--name", setup.name, "What the server is called; sluice by default");
  CLI::Option* yes = command->add_flag("--yes", setup.yes, "Write without asking");
  CLI::Option* undo = command->add_flag("--undo", setup.undo, "Take the server out again");
  command->add_option("--print", setup.printed_host, "Print what a host needs, and write nothing")
      ->type_name("HOST")
      ->check(CLI::IsMember(ids))
      ->excludes(yes)
      ->excludes(undo);
  setup.command = command;
}

int run_setup(const SetupCommand& setup, const std::string& argv0) {
  if (const Status name = check_server_name(setup.name); !name) return fail(name.error());
  const Result<hosts::Machine> machine = this_machine();
  if (!machine) return fail(machine.error());
  std::vector<std::string> sources = setup.sources;
  if (!setup.printed_host.empty() && sources.empty()) sources = {"/path/to/data"};
  const Result<hosts::ServerEntry> entry = entry_for(sources, argv0, *machine);
  if (!entry) return fail(entry.error());
  if (!setup.printed_host.empty()) return print_host(setup, *entry);
  if (!setup.undo) {
    if (const Status served = check_sources(sources); !served) return fail(served.error());
  }
  const Result<std::vector<const Host*>> chosen = chosen_hosts(setup, *machine);
  if (!chosen) return fail(chosen.error());
  const HostSetup run(setup, *machine, *entry);
  bool ok = true;
  for (const Host* const host : *chosen) ok = run.run(*host) && ok;
  return ok ? 0 : kFailed;
}

}  // namespace sluice::cli

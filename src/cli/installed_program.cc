#include "installed_program.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"

#include "report.h"

namespace sluice::cli {

namespace {

namespace filesystem = std::filesystem;

bool is_in_cache_of_npx(const filesystem::path& program) {
  return std::find(program.begin(), program.end(), "_npx") != program.end();
}

// Of the folder that runs on every Linux, the script that looks at the machine first.
std::optional<filesystem::path> launcher_of(const filesystem::path& program) {
  const filesystem::path folder = program.parent_path();
  if (folder.filename() != "sluice" || folder.parent_path().filename() != "lib") return std::nullopt;
  filesystem::path launcher = folder.parent_path().parent_path() / "bin" / "sluice";
  std::error_code reason;
  if (!filesystem::is_regular_file(launcher, reason)) return std::nullopt;
  return launcher;
}

Result<std::string> program_path(const std::string& argv0, const hosts::Machine& machine) {
  std::error_code reason;
  const filesystem::path program = filesystem::read_symlink("/proc/self/exe", reason);
  if (reason) return internal_error(fmt::format("find the program: {}", reason.message()));
  if (const std::optional<filesystem::path> launcher = launcher_of(program)) return launcher->string();
  std::optional<std::string> called = argv0.find('/') != std::string::npos
                                          ? filesystem::absolute(argv0, reason).lexically_normal().string()
                                          : hosts::find_program(machine, argv0);
  const bool is_this = called && filesystem::canonical(*called, reason) == program;
  return is_this ? *std::move(called) : program.string();
}

}  // namespace

Result<hosts::Machine> this_machine() {
  const std::string home = environment("HOME").value_or("");
  if (!home.starts_with('/')) return invalid_input("HOME is not set to an absolute path");
  return hosts::Machine{.home = filesystem::path(home).lexically_normal().string(),
                        .environment = environment};
}

Result<hosts::ServerEntry> entry_for(const std::vector<std::string>& sources, const std::string& argv0,
                                     const hosts::Machine& machine) {
  hosts::ServerEntry entry;
  SLUICE_TRY(entry.command, program_path(argv0, machine));
  if (is_in_cache_of_npx(entry.command)) {
    entry.command = hosts::find_program(machine, "npx").value_or("npx");
    entry.arguments = {"-y", "@sluice-mcp/sluice"};
  }
  entry.arguments.emplace_back("serve");
  for (const std::string& source : sources) {
    std::error_code reason;
    filesystem::path path = filesystem::absolute(source, reason).lexically_normal();
    if (!path.has_filename() && path.has_parent_path()) path = path.parent_path();
    entry.arguments.push_back(path.string());
  }
  for (const std::string& word : entry.arguments) {
    if (!is_valid_utf8(word))
      return invalid_input(fmt::format("a path that is not UTF-8: {}", excerpt(word)));
  }
  return entry;
}

}  // namespace sluice::cli

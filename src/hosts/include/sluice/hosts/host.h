#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

// The applications that run agents and read their servers from a configuration file.
namespace sluice::hosts {

enum class HostFormat : std::uint8_t {
  kJson,   // Strict JSON.
  kJsonc,  // With comments and commas after the last member.
  kToml,
};

// How a host writes down a server that it starts.
struct HostShape {
  HostFormat format = HostFormat::kJson;
  std::string_view container;  // The key of the table of servers: mcpServers.
  // Members that the host needs beside the command, before and after it. As in the host's format.
  struct Member {
    std::string_view key;
    std::string_view value;
  };
  std::span<const Member> before;
  std::span<const Member> after;
  bool has_command_array = false;  // Program and arguments in one array, instead of `command` and `args`.
};

// Where a file is. "~" is the user's folder, %APPDATA% Windows' folder for programs. Empty: the host does not
// exist there.
struct HostPaths {
  std::string_view linux_path;
  std::string_view macos_path;
  std::string_view windows_path;
};

struct Host {
  std::string_view id;    // As on the command line: claude-desktop.
  std::string_view name;  // Claude Desktop
  HostShape shape;
  HostPaths user_file;             // For all projects of a user.
  std::string_view variable;       // An environment variable that names the folder of that file instead, or
  std::string_view variable_file;  // nothing; and the file's name there.
  std::string_view other_file;     // Used instead of the file above if it exists (Linux).
  std::string_view project_file;   // Within a project; empty if the host has none.
  // The host's own command that adds a server: NAME, COMMAND (program and arguments) and JSON stand for what
  // is added. Empty if it has none.
  std::string_view add_command;
  // How it is found on a machine (Linux): any of these exists, or the program is on the path.
  std::array<std::string_view, 2> traces;
  std::string_view program;
};

// In the order in which they are shown.
std::span<const Host> all_hosts();

// Null if there is no host of that id.
const Host* find_host(std::string_view id);

}  // namespace sluice::hosts

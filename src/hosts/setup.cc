#include "sluice/hosts/setup.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/fs/durable.h"
#include "sluice/fs/file_moves.h"
#include "sluice/fs/folder_lock.h"
#include "sluice/fs/root.h"

#include "host_file.h"

namespace sluice::hosts {

namespace {

constexpr std::string_view kPackage = "@sluice-mcp/sluice";

Error in_file(Error error, const std::string& path) {
  error.message = fmt::format("{}: {}", excerpt(path, 300), error.message);
  return error;
}

// Calls a function of a text, and names the file if it fails.
template <typename T>
Result<T> named(Result<T> result, const std::string& path) {
  if (result.ok()) return result;
  return in_file(std::move(result).error(), path);
}

const NamedServer* server_called(const std::vector<NamedServer>& servers, std::string_view name) {
  const auto found = std::find_if(servers.begin(), servers.end(),
                                  [name](const NamedServer& server) { return server.name == name; });
  return found == servers.end() ? nullptr : &*found;
}

std::string copy_path_of(const std::string& path, std::string_view name) {
  std::string suffix(name);
  std::replace(suffix.begin(), suffix.end(), '/', '_');
  return fmt::format("{}.before-{}", path, suffix);
}

Result<FileChange> begin_change(const std::string& path, std::string_view name) {
  SLUICE_TRY(HostFile file, read_host_file(path));
  FileChange change;
  change.path = path;
  change.copy_path = copy_path_of(file.real_path, name);
  change.real_path = std::move(file.real_path);
  change.before = std::move(file.text);
  change.after = change.before;
  return change;
}

// Whether the text is what adding the server to `original` gives: nothing else has changed since.
bool is_only_addition(const Host& host, std::string_view original, const NamedServer& server,
                      std::string_view text) {
  const Result<std::string> made = add_server(host.shape, original, server.name, server.entry);
  return made.ok() && *made == text;
}

Result<fs::Root> open_folder_of(const std::filesystem::path& path) {
  std::error_code reason;
  std::filesystem::create_directories(path.parent_path(), reason);
  if (reason)
    return unavailable(fmt::format("make the folder {}: {}", path.parent_path().string(), reason.message()))
        .with_code("host_file_failed");
  return fs::Root::open(path.parent_path().string(), {.symlinks = fs::Symlinks::kRefuse});
}

}  // namespace

bool is_sluice(const ServerEntry& entry) {
  if (std::filesystem::path(entry.command).filename() == "sluice") return true;
  return std::any_of(entry.arguments.begin(), entry.arguments.end(), [](const std::string& argument) {
    return argument == kPackage || argument.starts_with(std::string(kPackage) + "@");
  });
}

Result<std::optional<std::vector<NamedServer>>> configured_servers(const Host& host, const Machine& machine) {
  const std::string path = configuration_file(host, machine);
  SLUICE_TRY(const HostFile file, read_host_file(path));
  if (!file.text) return std::optional<std::vector<NamedServer>>();
  SLUICE_TRY(std::vector<NamedServer> servers, named(read_servers(host.shape, *file.text), path));
  return std::optional(std::move(servers));
}

Result<FileChange> plan_setup(const Host& host, const Machine& machine, std::string_view name,
                              const ServerEntry& entry) {
  SLUICE_TRY(FileChange change, begin_change(configuration_file(host, machine), name));
  const std::string text = change.before.value_or("");
  SLUICE_TRY(const std::vector<NamedServer> servers, named(read_servers(host.shape, text), change.path));
  const NamedServer* const found = server_called(servers, name);
  if (found != nullptr && !is_sluice(found->entry))
    return conflict(fmt::format("{}: another server has the name {}", excerpt(change.path, 300), name))
        .with_code("host_name_taken")
        .with_hint("Give another name with --name.");
  SLUICE_TRY(change.after, named(add_server(host.shape, text, name, entry), change.path));
  if (!change.before || change.changes_nothing()) return change;
  SLUICE_TRY(const std::optional<std::string> copy, read_beside(change.copy_path));
  // A copy from before an earlier setup still is what the file was without this server.
  change.writes_copy = !(copy && found != nullptr && is_only_addition(host, *copy, *found, text));
  return change;
}

Result<FileChange> plan_undo(const Host& host, const Machine& machine, std::string_view name) {
  SLUICE_TRY(FileChange change, begin_change(configuration_file(host, machine), name));
  if (!change.before) return change;
  const std::string& text = *change.before;
  SLUICE_TRY(const std::vector<NamedServer> servers, named(read_servers(host.shape, text), change.path));
  const NamedServer* const found = server_called(servers, name);
  if (found == nullptr || !is_sluice(found->entry)) return change;
  SLUICE_TRY(const std::optional<std::string> copy, read_beside(change.copy_path));
  change.removes_copy = copy.has_value();
  if (is_only_addition(host, copy.value_or(""), *found, text)) {
    change.after = copy;
    return change;
  }
  if (copy) {
    const Result<std::vector<NamedServer>> earlier = read_servers(host.shape, *copy);
    const NamedServer* const replaced = earlier.ok() ? server_called(*earlier, name) : nullptr;
    if (replaced != nullptr && is_sluice(replaced->entry)) {
      SLUICE_TRY(change.after, add_server(host.shape, text, name, replaced->entry));
      return change;
    }
  }
  SLUICE_TRY(change.after, remove_server(host.shape, text, name));
  return change;
}

Status carry_out(const FileChange& change, Monotonic deadline) {
  if (change.changes_nothing()) return {};
  const std::filesystem::path path = change.real_path;
  const std::string name = path.filename().string();
  SLUICE_TRY(const fs::Root folder, open_folder_of(path));
  SLUICE_TRY(const fs::FolderLock lock, fs::FolderLock::take(folder, deadline));
  SLUICE_TRY(const HostFile now, read_host_file(change.path));
  if (now.real_path != change.real_path || now.text != change.before)
    return conflict(fmt::format("the file has changed meanwhile: {}", excerpt(change.path, 300)))
        .with_code("host_file_changed")
        .with_hint("Run the command again.");
  const std::string copy_name = std::filesystem::path(change.copy_path).filename().string();
  if (change.writes_copy) SLUICE_CHECK(fs::replace_private_file(folder, copy_name, *change.before));
  if (!change.after) {
    SLUICE_CHECK(fs::remove_file(folder, name));
  } else if (change.before) {
    SLUICE_CHECK(fs::replace_file(folder, name, *change.after));
  } else {
    SLUICE_CHECK(fs::replace_private_file(folder, name, *change.after));
  }
  if (change.removes_copy) SLUICE_CHECK(fs::remove_file(folder, copy_name));
  return {};
}

}  // namespace sluice::hosts

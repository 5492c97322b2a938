#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/clock.h"
#include "sluice/base/result.h"
#include "sluice/hosts/host.h"
#include "sluice/hosts/machine.h"
#include "sluice/hosts/server_entry.h"

// Puts a server into the configuration files of hosts, and takes it out again.
namespace sluice::hosts {

// What would be done to one file. Nothing has been written yet.
struct FileChange {
  std::string path;                   // As the host knows it.
  std::string real_path;              // With links resolved.
  std::optional<std::string> before;  // Nothing: there is no file.
  std::optional<std::string> after;   // Nothing: the file is removed.
  std::string copy_path;              // The copy of the file as it was, beside it.
  bool writes_copy = false;
  bool removes_copy = false;

  bool changes_nothing() const { return before == after; }
};

// Whether a host starts this program with it, by itself or through npx.
bool is_sluice(const ServerEntry& entry);

// The servers in the configuration of a host. Nothing if it has no file yet.
Result<std::optional<std::vector<NamedServer>>> configured_servers(const Host& host, const Machine& machine);

// A change that lets a host know a server. Refuses, with nothing done, a file that is invalid, that others
// may write to or that is not the user's own, and a name that another server has (`host_name_taken`).
Result<FileChange> plan_setup(const Host& host, const Machine& machine, std::string_view name,
                              const ServerEntry& entry);

// A change that takes back what plan_setup's did: the bytes from before if nothing else has changed since,
// else the server alone.
Result<FileChange> plan_undo(const Host& host, const Machine& machine, std::string_view name);

// Writes a change durably. Readers see the old file or the new one. kConflict, code `host_file_changed`, if
// the file is no longer as it was when the change was planned. Waits until the deadline for another process
// that writes to the same folder.
Status carry_out(const FileChange& change, Monotonic deadline);

// The lines that differ, for a person: as `diff -u` shows them, without control characters, and of long lines
// only the part that differs.
std::string describe(const FileChange& change);

}  // namespace sluice::hosts

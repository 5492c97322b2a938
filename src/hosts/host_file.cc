#include "host_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/fs/root.h"

namespace sluice::hosts {

namespace {

constexpr std::size_t kShownPathBytesMax = 300;

Error unsafe(std::string_view what, const std::string& path) {
  return forbidden(fmt::format("{}: {}", what, excerpt(path, kShownPathBytesMax)))
      .with_code("host_file_unsafe");
}

Error not_readable(const std::string& path, const std::error_code& reason) {
  return unavailable(fmt::format("{}: {}", excerpt(path, kShownPathBytesMax), reason.message()))
      .with_code("host_file_failed");
}

// A group of this user's own has nobody else in it on most systems.
bool is_writable_by_others(const struct stat& status) {
  if ((status.st_mode & S_IWOTH) != 0) return true;
  return (status.st_mode & S_IWGRP) != 0 && status.st_gid != ::getegid();
}

Status check_folder(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return not_readable(path, {errno, std::generic_category()});
  if (status.st_uid != ::geteuid() && status.st_uid != 0)
    return unsafe("the folder belongs to another user", path);
  if (is_writable_by_others(status) && (status.st_mode & S_ISVTX) == 0)
    return unsafe("others may write to the folder", path).with_hint("Take that away: chmod go-w");
  return {};
}

Status check_file(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return not_readable(path, {errno, std::generic_category()});
  if (!S_ISREG(status.st_mode)) return unsafe("not a file", path);
  if (status.st_uid != ::geteuid()) return unsafe("the file belongs to another user", path);
  if (is_writable_by_others(status))
    return unsafe("others may write to the file", path).with_hint("Take that away: chmod go-w");
  if (status.st_nlink > 1) return unsafe("the file has a second name (a hard link)", path);
  if (::access(path.c_str(), W_OK) != 0) return not_readable(path, {errno, std::generic_category()});
  return {};
}

Result<std::string> read_plain(const std::filesystem::path& path) {
  SLUICE_TRY(const fs::Root root,
             fs::Root::open(path.parent_path().string(), {.symlinks = fs::Symlinks::kRefuse}));
  SLUICE_TRY(const fs::File file, root.open_beneath(path.filename().string()));
  return file.read_all(kHostFileBytesMax);
}

}  // namespace

Result<HostFile> read_host_file(const std::string& path) {
  HostFile made;
  std::error_code reason;
  const auto status = std::filesystem::symlink_status(path, reason);
  if (status.type() == std::filesystem::file_type::not_found) {
    made.real_path = std::filesystem::weakly_canonical(path, reason).string();
    if (reason) return not_readable(path, reason);
    const std::string folder = std::filesystem::path(made.real_path).parent_path().string();
    if (std::filesystem::exists(folder, reason)) SLUICE_CHECK(check_folder(folder));
    return made;
  }
  if (reason) return not_readable(path, reason);
  made.real_path = std::filesystem::canonical(path, reason).string();
  if (reason) return not_readable(path, reason);
  SLUICE_CHECK(check_folder(std::filesystem::path(made.real_path).parent_path().string()));
  SLUICE_CHECK(check_file(made.real_path));
  SLUICE_TRY(made.text, read_plain(made.real_path));
  return made;
}

Result<std::optional<std::string>> read_beside(const std::string& path) {
  std::error_code reason;
  const auto status = std::filesystem::symlink_status(path, reason);
  if (status.type() == std::filesystem::file_type::not_found) return std::optional<std::string>();
  SLUICE_CHECK(check_file(path));
  SLUICE_TRY(std::string text, read_plain(path));
  return std::optional(std::move(text));
}

}  // namespace sluice::hosts

#include "sluice/fs/private_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace sluice::fs {

namespace {

constexpr mode_t kPrivateMode = 0700;

Error cannot(std::string_view what, std::string_view path, const std::error_code& reason) {
  return unavailable(fmt::format("{} {}: {}", what, path, reason.message())).with_code("folder_unavailable");
}

}  // namespace

PrivateFolder::PrivateFolder(std::string path, Root root, bool is_temporary)
    : path_(std::move(path)), root_(std::move(root)), is_temporary_(is_temporary) {}

PrivateFolder::PrivateFolder(PrivateFolder&& other) noexcept
    : path_(std::move(other.path_)),
      root_(std::move(other.root_)),
      is_temporary_(std::exchange(other.is_temporary_, false)) {}

PrivateFolder::~PrivateFolder() {
  std::error_code ignored;
  if (is_temporary_) std::filesystem::remove_all(path_, ignored);
}

Result<PrivateFolder> PrivateFolder::make_temporary(std::string_view prefix) {
  std::error_code reason;
  const std::filesystem::path parent =
      std::filesystem::canonical(std::filesystem::temp_directory_path(reason), reason);
  if (reason) return cannot("find the folder for temporary files", "", reason);
  return make_temporary_in(parent.string(), prefix);
}

Result<PrivateFolder> PrivateFolder::make_temporary_in(const std::string& parent, std::string_view prefix) {
  std::string path = (std::filesystem::path(parent) / fmt::format("{}-XXXXXX", prefix)).string();
  if (::mkdtemp(path.data()) == nullptr) {
    return cannot("make folder", path, std::error_code(errno, std::generic_category()));
  }
  SLUICE_TRY(Root root, Root::open(path));
  return PrivateFolder(std::move(path), std::move(root), true);
}

Result<PrivateFolder> PrivateFolder::open(const std::string& path) {
  std::error_code reason;
  std::filesystem::create_directories(path, reason);
  if (reason) return cannot("make folder", path, reason);
  const std::string canonical = std::filesystem::canonical(path, reason).string();
  if (reason) return cannot("open folder", path, reason);
  if (::chmod(canonical.c_str(), kPrivateMode) != 0) {
    return cannot("make private", path, std::error_code(errno, std::generic_category()));
  }
  SLUICE_TRY(Root root, Root::open(canonical));
  return PrivateFolder(canonical, std::move(root), false);
}

Result<FileWriter> PrivateFolder::create(std::string_view name) const {
  constexpr unsigned kFileMode = 0600;
  SLUICE_TRY(Descriptor descriptor,
             root_.open_descriptor(name, {.flags = O_WRONLY | O_CREAT | O_EXCL, .mode = kFileMode}));
  return FileWriter(std::move(descriptor), std::string(name));
}

Status PrivateFolder::remove(std::string_view name) const {
  std::error_code reason;
  std::filesystem::remove(std::filesystem::path(path_) / name, reason);
  if (reason) return cannot("remove", name, reason);
  return {};
}

}  // namespace sluice::fs

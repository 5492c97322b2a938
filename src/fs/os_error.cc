#include "os_error.h"

#include <cerrno>
#include <system_error>

#include <fmt/format.h>

#include "sluice/base/text.h"

namespace sluice::fs {
namespace {

ErrorKind error_kind(int code) {
  switch (code) {
    case ENOENT:
    case ENOTDIR:
      return ErrorKind::kNotFound;
    case EACCES:
    case EPERM:
    case EROFS:
    case EXDEV:  // The path leaves the folder it must stay beneath.
    case ELOOP:
      return ErrorKind::kForbidden;
    case EISDIR:
    case ENAMETOOLONG:
    case EINVAL:
      return ErrorKind::kInvalidInput;
    case EFBIG:
      return ErrorKind::kLimitReached;
    case EEXIST:
    case ENOTEMPTY:
      return ErrorKind::kConflict;
    case EAGAIN:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case ENOSPC:
    case EDQUOT:
    case EIO:
      return ErrorKind::kUnavailable;
    default:
      return ErrorKind::kInternal;
  }
}

std::string reason_of(int code) {
  if (code == EXDEV) return "it leads outside of the folder";
  if (code == ELOOP) return "it passes through a symbolic link that is not followed";
  return std::generic_category().message(code);
}

}  // namespace

Error os_error(std::string_view attempt, int code, std::string_view relative_path) {
  const std::string_view shown = relative_path.empty() ? "." : relative_path;
  return make_error(error_kind(code),
                    fmt::format("{} ({}): {}", attempt, reason_of(code), excerpt(shown, 200)));
}

}  // namespace sluice::fs

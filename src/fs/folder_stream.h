#pragma once

#include <dirent.h>

#include <memory>

#include "sluice/fs/descriptor.h"

namespace sluice::fs {

struct CloseFolder {
  void operator()(DIR* folder) const noexcept { ::closedir(folder); }
};

// A folder that is being read. The descriptor is ::dirfd(folder.get()).
using FolderStream = std::unique_ptr<DIR, CloseFolder>;

// Empty, with errno set, where `descriptor` cannot be read as a folder.
inline FolderStream open_stream(Descriptor descriptor) {
  FolderStream folder(::fdopendir(descriptor.number()));
  if (folder) descriptor.release();  // closedir closes it.
  return folder;
}

}  // namespace sluice::fs

#include "sluice/text/normalize.h"

#include "folder.h"

namespace sluice::text {

std::string normalize(std::string_view text) {
  Folder folder;
  folder.append(text);
  return folder.take();
}

}  // namespace sluice::text

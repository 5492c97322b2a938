#include "sluice/contents/served_folders.h"

#include <algorithm>
#include <utility>

#include "sluice/base/limits.h"
#include "sluice/base/sleep.h"
#include "sluice/base/uri_path.h"

namespace sluice::contents {

Result<std::unique_ptr<ServedFolders>> ServedFolders::open(const std::vector<FolderSpec>& specs) {
  Folders opened;
  for (const FolderSpec& spec : specs) {
    SLUICE_TRY(std::unique_ptr<ServedFolder> folder,
               ServedFolder::open(spec, specs.size() > 1 ? spec.name : std::string()));
    opened.push_back(std::move(folder));
  }
  const auto place = [](const auto& folder) { return percent_encode_path(folder->prefix()) + "/"; };
  std::sort(opened.begin(), opened.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
  return std::unique_ptr<ServedFolders>(new ServedFolders(std::move(opened)));
}

std::optional<ServedFolders::Place> ServedFolders::find(const std::string& path) const {
  if (is_single()) return Place{.folder = folders_.front().get(), .path = path};
  const std::string name = path.substr(0, path.find('/'));
  const auto found = std::find_if(folders_.begin(), folders_.end(),
                                  [&](const auto& folder) { return folder->prefix() == name; });
  if (found == folders_.end()) return std::nullopt;
  return Place{.folder = found->get(),
               .path = path.size() == name.size() ? "" : path.substr(name.size() + 1)};
}

void ServedFolders::watch(OnChange on_change) {
  on_change_ = std::move(on_change);
  for (const auto& folder : folders_) {
    folder->watch([this, prefix = folder->prefix()](const std::vector<fs::Change>& changes) {
      on_change_(prefix, changes);
    });
  }
  follower_ = BackgroundThread("served-folders", [this](const std::stop_token& stop) { follow(stop); });
}

// A watcher holds on to the folder it was given, wherever that is moved; what is at its place now is found by
// looking.
void ServedFolders::follow(const std::stop_token& stop) {
  while (sleep_unless_stopped(kWatchPollInterval, stop)) {
    for (const auto& folder : folders_) {
      if (stop.stop_requested()) return;
      if (folder->follow()) on_change_(folder->prefix(), {{.path = {}, .kind = fs::ChangeKind::kRescan}});
    }
  }
}

}  // namespace sluice::contents

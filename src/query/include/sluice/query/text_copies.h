#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>

#include "sluice/base/clock.h"
#include "sluice/base/result.h"
#include "sluice/cache/cache.h"
#include "sluice/fs/file.h"
#include "sluice/fs/private_folder.h"

namespace sluice::query {

// UTF-8 copies of files in other encodings, where the engine may read them. Made when they are needed, once
// for each version of a file; the least recently used go when there are too many bytes, and those of an older
// version at once. A copy that is being read stays until that ends. Any thread.
class TextCopies {
 public:
  // `clock` must outlive it.
  TextCopies(fs::PrivateFolder folder, std::uint64_t bytes_max, const Clock& clock);

  // One copy; its file goes with it.
  class Copy {
   public:
    Copy(const TextCopies& owner, std::string name, fs::File file);
    Copy(Copy&& other) noexcept;
    Copy& operator=(Copy&&) = delete;
    ~Copy();
    const fs::File& file() const { return file_; }

   private:
    const TextCopies* owner_;  // Whoever holds a copy holds its TextCopies as well.
    std::string name_;         // Empty once it was moved from.
    fs::File file_;
  };

  struct Source {
    std::string name;     // Of the dataset,
    std::string version;  // and what changes with its content.
    const fs::File& file;
    std::string charset;
  };
  // Fails where the copy would be larger than all copies may be.
  Result<std::shared_ptr<const Copy>> get(const Source& source, const std::stop_token& stop);

 private:
  Result<Copy> make(const Source& source, const std::stop_token& stop) const;

  const fs::PrivateFolder folder_;
  const std::uint64_t bytes_max_;
  cache::Cache<Copy> copies_;  // Last: its values remove their files from the folder.
};

}  // namespace sluice::query

#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sluice/base/mutex.h"
#include "sluice/base/result.h"
#include "sluice/fs/root.h"

namespace sluice::datasets {

// Codes that mean the same entity, as somebody has said: programme 1045 of 2024 is 1192 of 2025.
struct Equivalency {
  struct Code {
    std::string place;  // In the collection's series: a year.
    std::string code;
  };
  std::string collection;
  std::string description;
  std::vector<Code> codes;
  std::string created_at;
  std::string created_by;
};
using Equivalencies = std::map<std::string, Equivalency, std::less<>>;  // By the name of what they mean.

// Equivalencies in one JSON file, which is replaced as a whole: after a crash it is the old one or the new.
// Any thread. Of several programs that write the same file, the last one's additions to what it read stay.
class EquivalencyStore {
 public:
  // The file's folder must exist; the file need not. What is there must be readable: it is never overwritten
  // by a program that does not understand it.
  static Result<std::shared_ptr<EquivalencyStore>> open(const std::string& path);

  Result<Equivalencies> all() const;
  enum class Existing { kKeep, kReplace };
  // On disk when it returns. All of them or none.
  Status add(const Equivalencies& more, Existing existing);

 private:
  EquivalencyStore(fs::Root folder, std::string name) : folder_(std::move(folder)), name_(std::move(name)) {}
  Result<Equivalencies> read() const;

  const fs::Root folder_;
  const std::string name_;
  mutable Mutex mutex_;  // One reader or writer of the file at a time.
};

}  // namespace sluice::datasets

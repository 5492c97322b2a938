#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "sluice/base/clock.h"
#include "sluice/base/result.h"

#include "handles.h"
#include "place.h"
#include "read_gate.h"

namespace sluice::git {

enum class Worktree : std::uint8_t { kNone, kWithFiles };

// A repository that is open for one call; one thread. It has neither configuration nor alternates, and
// outside of kWithFiles no working tree: there is nothing but objects and refs to be read.
class Repository {
 public:
  struct Options {
    std::stop_token stop;
    Monotonic deadline = Monotonic::max();
    Worktree worktree = Worktree::kNone;
  };
  static Result<Repository> open(const Place& place, Options options);

  git_repository* raw() const { return repository_.get(); }
  git_odb* objects() const { return objects_.get(); }
  ReadGate& gate() const { return *gate_; }

  // What a negative code of libgit2 means. Nothing of its message is kept: those have paths.
  Error failure(int code, std::string_view attempt) const;

  // The size of an object, without reading it.
  Result<std::uint64_t> size_of(const git_oid& id) const;
  Result<CommitHandle> commit(const git_oid& id) const;
  Result<TreeHandle> tree_of(const git_commit& commit) const;

 private:
  Repository() = default;

  std::unique_ptr<ReadGate> gate_;  // First: the objects are read through it.
  OdbHandle objects_;
  RepositoryHandle repository_;
};

std::string to_hex(const git_oid& id);

}  // namespace sluice::git

#pragma once

#include <memory>

#include <git2.h>

namespace sluice::git {

template <auto kFree>
struct Free {
  void operator()(auto* handle) const noexcept { kFree(handle); }
};

using ConfigHandle = std::unique_ptr<git_config, Free<git_config_free>>;
using CommitHandle = std::unique_ptr<git_commit, Free<git_commit_free>>;
using DiffHandle = std::unique_ptr<git_diff, Free<git_diff_free>>;
using IndexHandle = std::unique_ptr<git_index, Free<git_index_free>>;
using ObjectHandle = std::unique_ptr<git_object, Free<git_object_free>>;
using OdbHandle = std::unique_ptr<git_odb, Free<git_odb_free>>;
using OdbObjectHandle = std::unique_ptr<git_odb_object, Free<git_odb_object_free>>;
using PatchHandle = std::unique_ptr<git_patch, Free<git_patch_free>>;
using ReferenceHandle = std::unique_ptr<git_reference, Free<git_reference_free>>;
using ReferenceIteratorHandle = std::unique_ptr<git_reference_iterator, Free<git_reference_iterator_free>>;
using RepositoryHandle = std::unique_ptr<git_repository, Free<git_repository_free>>;
using TagHandle = std::unique_ptr<git_tag, Free<git_tag_free>>;
using TreeHandle = std::unique_ptr<git_tree, Free<git_tree_free>>;
using WalkHandle = std::unique_ptr<git_revwalk, Free<git_revwalk_free>>;

// git_thing_lookup(&out, …) into an owner: `take(handle, [&](auto** out) { return git_…(out, …); })`.
template <typename Handle, typename Call>
int take(Handle& handle, Call call) {
  typename Handle::pointer raw = nullptr;
  const int code = call(&raw);
  handle.reset(code < 0 ? nullptr : raw);
  return code;
}

}  // namespace sluice::git

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "sluice/base/caller.h"
#include "sluice/plan/plan.h"

// A plan passes through three types, in one direction: BoundPlan, GuardedPlan, PhysicalPlan. Only the last
// one can be printed, estimated and run, so that no plan runs without the rules of its caller.
namespace sluice::plan {

// What a question computes, as it was compiled: nobody's rules are in it.
class BoundPlan {
 public:
  explicit BoundPlan(NodePtr root) : root_(std::move(root)) {}
  const NodePtr& root() const { return root_; }

 private:
  NodePtr root_;
};

// The rules of one caller. None of them restricts rows or columns yet: what differs is their digest.
class Guard {
 public:
  Guard() = default;  // No rules: the program reads for itself, or everybody may see everything.
  explicit Guard(PolicyDigest policy) : policy_(std::move(policy)) {}
  const PolicyDigest& policy() const { return policy_; }

 private:
  PolicyDigest policy_;
};

// A plan that reads of its tables what its caller may see.
class GuardedPlan {
 public:
  GuardedPlan(BoundPlan plan, const Guard& guard) : root_(plan.root()), policy_(guard.policy()) {}
  const NodePtr& root() const { return root_; }
  const PolicyDigest& policy() const { return policy_; }

 private:
  NodePtr root_;
  PolicyDigest policy_;
};

// A plan that can run. It may be none at all.
class PhysicalPlan {
 public:
  PhysicalPlan() = default;
  PhysicalPlan(std::nullptr_t) {}  // NOLINT(google-explicit-constructor): as of a pointer.
  explicit PhysicalPlan(GuardedPlan plan) : root_(plan.root()), policy_(plan.policy()) {}

  explicit operator bool() const { return root_ != nullptr; }
  const Node& operator*() const { return *root_; }
  const Node* operator->() const { return root_.get(); }
  const PolicyDigest& policy() const { return policy_; }

  // The same, of which only some rows are wanted. Not of no plan.
  PhysicalPlan limited(std::optional<std::uint64_t> rows, std::uint64_t offset) const {
    PhysicalPlan out = *this;
    out.root_ = limit(root_, rows, offset);
    return out;
  }

  friend bool operator==(const PhysicalPlan& plan, std::nullptr_t) { return plan.root_ == nullptr; }

 private:
  NodePtr root_;
  PolicyDigest policy_;
};

// All steps at once.
inline PhysicalPlan physical_plan(NodePtr bound, const Guard& guard) {
  return PhysicalPlan(GuardedPlan(BoundPlan(std::move(bound)), guard));
}

}  // namespace sluice::plan

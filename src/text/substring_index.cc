#include "substring_index.h"

#include <algorithm>

namespace sluice::text {

std::uint32_t SubstringIndex::child(std::uint32_t node, unsigned char byte) const {
  for (const Edge& edge : nodes_[node].edges)
    if (edge.byte == byte) return edge.node;
  return kRoot;
}

void SubstringIndex::add(std::string_view text, std::uint32_t pattern) {
  std::uint32_t at = kRoot;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    std::uint32_t next = child(at, byte);
    if (next == kRoot) {
      next = static_cast<std::uint32_t>(nodes_.size());
      nodes_[at].edges.push_back({.byte = byte, .node = next});
      nodes_.push_back({.depth = nodes_[at].depth + 1});
    }
    at = next;
  }
  if (same_text_.size() <= pattern) same_text_.resize(pattern + 1, kNone);
  std::uint32_t* last = &nodes_[at].pattern;
  while (*last != kNone) last = &same_text_[*last];
  *last = pattern;
}

std::uint32_t SubstringIndex::step(std::uint32_t node, unsigned char byte) const {
  while (node != kRoot) {
    if (const std::uint32_t next = child(node, byte); next != kRoot) return next;
    node = nodes_[node].fail;
  }
  return root_[byte];
}

void SubstringIndex::build() {
  for (const Edge& edge : nodes_[kRoot].edges) root_[edge.byte] = edge.node;
  std::vector<std::uint32_t>
      queue;  // Breadth first: a node's suffixes are shorter than it and done before it.
  for (const Edge& edge : nodes_[kRoot].edges) queue.push_back(edge.node);
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const std::uint32_t node = queue[i];
    for (const Edge& edge : nodes_[node].edges) {
      Node& next = nodes_[edge.node];
      next.fail = step(nodes_[node].fail, edge.byte);
      next.next_end = nodes_[next.fail].pattern != kNone ? next.fail : nodes_[next.fail].next_end;
      queue.push_back(edge.node);
    }
  }
}

}  // namespace sluice::text

// Random forests for tests: documents of random length, windows and branching.
#pragma once

#include <vector>

#include "bridge/forest.h"
#include "random.h"

struct Trees {
  std::vector<std::uint32_t> parent, first_child, child_count, first_chunk, chunk_count;
  std::vector<std::uint8_t> level;
  std::uint64_t n_chunks = 0;

  bridge::Forest view() const {
    return {parent, first_child, child_count, first_chunk, chunk_count, level, n_chunks};
  }

  void add(std::uint32_t up, std::uint32_t child, std::uint32_t children, std::uint32_t chunk,
           std::uint32_t chunks, std::uint8_t height) {
    parent.push_back(up);
    first_child.push_back(child);
    child_count.push_back(children);
    first_chunk.push_back(chunk);
    chunk_count.push_back(chunks);
    level.push_back(height);
  }

  // One more document of `leaves` leaves, up to `most` children a node.
  void add_document(std::uint32_t leaves, std::uint32_t most, Random& random) {
    const auto size = [this] { return static_cast<std::uint32_t>(parent.size()); };
    std::uint32_t chunk = parent.empty() ? 0 : first_chunk.back() + chunk_count.back();
    std::uint32_t first = size();
    for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) {
      const std::uint32_t chunks = 1 + random.below(4);
      add(bridge::kNoParent, 0, 0, chunk, chunks, 0);
      chunk += chunks;
    }
    n_chunks = chunk;
    for (std::uint8_t height = 1; size() - first > 1; ++height) {
      const std::uint32_t end = size();
      while (first < end) {
        const std::uint32_t wanted = 1 + random.below(most);
        const std::uint32_t children = end - first < wanted ? end - first : wanted;
        std::uint32_t chunks = 0;
        for (std::uint32_t child = first; child < first + children; ++child) {
          parent[child] = size();
          chunks += chunk_count[child];
        }
        add(bridge::kNoParent, first, children, first_chunk[first], chunks, height);
        first += children;
      }
    }
  }
};

inline Trees random_trees(std::uint32_t documents, Random& random) {
  Trees trees;
  for (std::uint32_t i = 0; i < documents; ++i) {
    trees.add_document(1 + random.below(40), 3 + random.below(4), random);
  }
  return trees;
}

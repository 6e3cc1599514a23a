// The forest of abstracts: one tree a document, as parallel arrays.        Bridge-RAG, section 3.1
//
// The abstracts of a document are consecutive ids: the leaves first, then each level above, the
// root last. Children are consecutive ids below their parent, and the children of consecutive
// abstracts of a level follow each other. An abstract owns a range of consecutive chunks; that of
// a parent is the union of its children's.
//
// Memory:  21 bytes an abstract, in a payload that the caller owns and keeps.
// Threads: nothing here changes a forest; all of it may run at once from many threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "bridge/block_list.h"
#include "bridge/wire.h"

namespace bridge {

using ChunkId = std::uint32_t;

inline constexpr AbstractId kNoParent = 0xFFFFFFFFU;

struct Forest {
  std::span<const AbstractId> parent;       // kNoParent for a root
  std::span<const AbstractId> first_child;  // 0 for a leaf
  std::span<const std::uint32_t> child_count;
  std::span<const ChunkId> first_chunk;
  std::span<const std::uint32_t> chunk_count;
  std::span<const std::uint8_t> level;  // 0 for a leaf
  std::uint64_t chunks = 0;             // how many there are; set by `open_forest`

  std::size_t size() const { return parent.size(); }
};

// The payload of a forest whose arrays have one length; counts the chunks. Throws std::length_error
// beyond 2^31 - 1 abstracts or 2^32 - 1 chunks.
Image pack(const Forest& forest);

// The forest in a payload of `pack`, in place: the bytes must outlive it. Throws DamagedPayload
// when the size is wrong; what the arrays say is `check`'s business.
Forest open_forest(std::span<const std::byte> payload);

// The first invariant that does not hold, in words; empty for a sound forest. FORMAT.md lists them.
// Cost: O(abstracts).
std::string check(const Forest& forest);

}  // namespace bridge

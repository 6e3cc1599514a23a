// Lists of abstract ids as linked blocks in one pool.                    Bridge-RAG, appendix A
//
// A list is a 32-bit handle. A list of one id is the handle itself (`kInline | id`), and most lists
// are; longer ones are chains of blocks. Ids are ascending inside a block and descending from block
// to block, so that adding in ascending order touches the first block alone.
//
// Memory:  32 bytes a block of up to six ids; blocks let go are used again.
// Threads: one writer, or any number of readers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bridge {

using AbstractId = std::uint32_t;
using ListHandle = std::uint32_t;

inline constexpr ListHandle kInline = 0x80000000U;
inline constexpr ListHandle kNoList = 0xFFFFFFFFU;
inline constexpr AbstractId kMaxAbstract = 0x7FFFFFFEU;

class BlockPool {
 public:
  // Puts `id` where it belongs; says whether it was missing. Requires: id <= kMaxAbstract.
  bool add(ListHandle& list, AbstractId id);

  // Takes `id` out; says whether it was there. A list without ids becomes `kNoList`.
  bool discard(ListHandle& list, AbstractId id);

  // Lets go of a whole list; returns how many ids it had.
  std::size_t clear(ListHandle& list);

  // How many ids it has.
  std::size_t size(ListHandle list) const;

  // Writes the ids, ascending; returns where they end. Requires: room for `size(list)` of them.
  AbstractId* copy(ListHandle list, AbstractId* to) const;

  std::size_t size_bytes() const { return blocks_.size() * sizeof(Block); }

 private:
  static constexpr std::uint32_t kIds = 6;
  static constexpr std::uint32_t kNil = 0xFFFFFFFFU;
  struct Block {
    std::uint32_t next, count;
    AbstractId ids[kIds];
  };
  // Where an id stands or would stand: `at` is its block, `above` the one before in the chain.
  struct Spot {
    std::uint32_t above, at, position;
    bool found;
  };

  Spot find(ListHandle list, AbstractId id) const;
  std::uint32_t take();
  void release(std::uint32_t block);
  void split(ListHandle& list, Spot& spot);

  std::vector<Block> blocks_;
  std::uint32_t free_ = kNil;
};

}  // namespace bridge

#include "bridge/block_list.h"

#include <algorithm>
#include <stdexcept>

namespace bridge {

bool BlockPool::add(ListHandle& list, AbstractId id) {
  if (list == kNoList) {
    list = kInline | id;
    return true;
  }
  if (list & kInline) {
    const AbstractId only = list & ~kInline;
    if (only == id) {
      return false;
    }
    list = take();
    blocks_[list] = {kNil, 2, {std::min(only, id), std::max(only, id)}};
    return true;
  }
  Spot spot = find(list, id);
  if (spot.found) {
    return false;
  }
  if (blocks_[spot.at].count == kIds) {
    split(list, spot);
  }
  Block& block = blocks_[spot.at];
  AbstractId* place = block.ids + spot.position;
  std::copy_backward(place, block.ids + block.count, block.ids + block.count + 1);
  *place = id;
  ++block.count;
  return true;
}

bool BlockPool::discard(ListHandle& list, AbstractId id) {
  if (list == kNoList) {
    return false;
  }
  if (list & kInline) {
    if ((list & ~kInline) != id) {
      return false;
    }
    list = kNoList;
    return true;
  }
  const Spot spot = find(list, id);
  if (!spot.found) {
    return false;
  }
  Block& block = blocks_[spot.at];
  AbstractId* place = block.ids + spot.position;
  std::copy(place + 1, block.ids + block.count, place);
  if (--block.count == 0) {
    const std::uint32_t next = block.next;
    if (spot.above != kNil) {
      blocks_[spot.above].next = next;
    } else {
      list = next == kNil ? kNoList : next;
    }
    release(spot.at);
  }
  return true;
}

std::size_t BlockPool::clear(ListHandle& list) {
  const std::size_t ids = size(list);
  if (!(list & kInline)) {
    for (std::uint32_t at = list; at != kNil;) {
      const std::uint32_t next = blocks_[at].next;
      release(at);
      at = next;
    }
  }
  list = kNoList;
  return ids;
}

std::size_t BlockPool::size(ListHandle list) const {
  if (list == kNoList) {
    return 0;
  }
  if (list & kInline) {
    return 1;
  }
  std::size_t ids = 0;
  for (std::uint32_t at = list; at != kNil; at = blocks_[at].next) {
    ids += blocks_[at].count;
  }
  return ids;
}

AbstractId* BlockPool::copy(ListHandle list, AbstractId* to) const {
  if (list == kNoList) {
    return to;
  }
  if (list & kInline) {
    *to = list & ~kInline;
    return to + 1;
  }
  AbstractId* const end = to + size(list);
  AbstractId* start = end;
  for (std::uint32_t at = list; at != kNil; at = blocks_[at].next) {
    start = std::copy_backward(blocks_[at].ids, blocks_[at].ids + blocks_[at].count, start);
  }
  return end;
}

BlockPool::Spot BlockPool::find(ListHandle list, AbstractId id) const {
  std::uint32_t above = kNil, at = list;
  while (blocks_[at].ids[0] > id && blocks_[at].next != kNil) {
    above = at;
    at = blocks_[at].next;
  }
  const Block& block = blocks_[at];
  const AbstractId* place = std::lower_bound(block.ids, block.ids + block.count, id);
  const auto position = static_cast<std::uint32_t>(place - block.ids);
  return {above, at, position, position < block.count && *place == id};
}

std::uint32_t BlockPool::take() {
  if (free_ != kNil) {
    const std::uint32_t block = free_;
    free_ = blocks_[block].next;
    return block;
  }
  if (blocks_.size() >= kInline) {
    throw std::length_error("the lists have 2^31 blocks, the limit");
  }
  blocks_.push_back({});
  return static_cast<std::uint32_t>(blocks_.size() - 1);
}

void BlockPool::release(std::uint32_t block) {
  blocks_[block].next = free_;
  free_ = block;
}

// Makes room in a full block: what stands in its upper half, or nothing if the new id comes last,
// moves into a new block above it. Moves the spot along.
void BlockPool::split(ListHandle& list, Spot& spot) {
  const std::uint32_t upper = take();
  Block& from = blocks_[spot.at];
  Block& to = blocks_[upper];
  const std::uint32_t keep = spot.position == kIds ? kIds : kIds / 2;
  to.next = spot.at;
  to.count = kIds - keep;
  std::copy(from.ids + keep, from.ids + kIds, to.ids);
  from.count = keep;
  (spot.above == kNil ? list : blocks_[spot.above].next) = upper;
  if (spot.position > keep || keep == kIds) {
    spot.at = upper;
    spot.position -= keep;
  }
}

}  // namespace bridge

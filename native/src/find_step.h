// One step of a `ListFinder`, to be compiled for each instruction set.
//
// `Slots` says how a bucket is compared: `of(bucket, key, fingerprint)` gives the slots that are
// alike, one bit a slot. All is inline, so that it is compiled for the target it is called from.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "batch.h"
#include "bridge/list_finder.h"
#include "target.h"

namespace bridge {

#if defined(BRIDGE_X86)
FindKernel avx2_find();
bool have_avx2_find();
FindKernel avx512_find();
bool have_avx512_find();
#endif

// The block that starts with key `start` enters; past the last key it is filled with 0.
BRIDGE_INLINE void enter(const ListQuestion& asked, ListRing& ring, std::size_t start) {
  constexpr std::size_t kBlock = ListRing::kBlock;
  const std::size_t at = start % ListRing::kSize;
  const std::size_t left = asked.keys.size() - start;
  if (left >= kBlock) {
    for (std::size_t i = 0; i < kBlock; ++i) {
      ring.keys[at + i] = asked.keys[start + i];
    }
  } else {
    for (std::size_t i = 0; i < kBlock; ++i) {
      ring.keys[at + i] = i < left ? asked.keys[start + i] : 0;
    }
  }
  const Shape shape = asked.table.shape();
  for (std::size_t i = at; i < at + kBlock; ++i) {
    const Address where = address(ring.keys[i], shape);
    ring.firsts[i] = static_cast<std::uint32_t>(where.first);
    ring.seconds[i] = static_cast<std::uint32_t>(where.second);
    ring.fingerprints[i] = where.fingerprint;
  }
}

// Leaves in `seconds` the bucket that the key is in, if it is in any.
template <typename Slots>
BRIDGE_INLINE std::uint32_t choose(const Bucket* buckets, bool filled, ListRing& ring,
                                   std::size_t i) {
  const Bucket& first = buckets[ring.firsts[i]];
  const bool here = Slots::of(first, ring.keys[i], ring.fingerprints[i]) != 0;
  const bool stays = here | (filled & (first.lists[kBucketSlots - 1] == kNoList));
  const std::uint32_t apart = ring.firsts[i] ^ ring.seconds[i];
  return ring.seconds[i] ^= static_cast<std::uint32_t>(if_so(stays, apart));
}

template <typename Slots>
BRIDGE_INLINE ListHandle read(const Bucket* buckets, ListRing& ring, std::size_t i) {
  const Bucket& bucket = buckets[ring.seconds[i]];
  const std::uint32_t slots = Slots::of(bucket, ring.keys[i], ring.fingerprints[i]);
  const int slot = std::countr_zero(slots | 1U << (kBucketSlots - 1));
  return ring.lists[i] = bucket.lists[slot] | (static_cast<ListHandle>(slots != 0) - 1);
}

BRIDGE_INLINE void fetch_run(const std::uint32_t* runs, std::size_t numbers, ListHandle list) {
  fetch(runs + if_so(list < numbers, list));
}

// The three steps of a block each, woven into one another where there are three.
template <typename Slots>
BRIDGE_INLINE void take_step(const ListQuestion& asked, ListRing& ring, std::size_t start) {
  const Bucket* const buckets = asked.table.buckets().data();
  const bool filled = asked.verify && asked.table.filled();
  const std::uint32_t* const runs = asked.runs.data();
  const std::size_t run_numbers = asked.runs.size();
  const std::size_t second = start - ListRing::kApart, third = second - ListRing::kApart;
  const std::size_t at[] = {start % ListRing::kSize, second % ListRing::kSize,
                            third % ListRing::kSize};
  const std::size_t end = asked.keys.size();  // before its first key a block wraps, and is beyond
  const bool enters = start < end, chooses = second < end, reads = third < end;
  if (enters) {
    enter(asked, ring, start);
  }
  if (enters && chooses && reads) {
    for (std::size_t i = 0; i < ListRing::kBlock; ++i) {
      fetch(&buckets[ring.firsts[at[0] + i]]);
      fetch(&buckets[choose<Slots>(buckets, filled, ring, at[1] + i)]);
      fetch_run(runs, run_numbers, read<Slots>(buckets, ring, at[2] + i));
    }
    return;
  }
  for (std::size_t i = 0; enters && i < ListRing::kBlock; ++i) {
    fetch(&buckets[ring.firsts[at[0] + i]]);
  }
  for (std::size_t i = 0; chooses && i < ListRing::kBlock; ++i) {
    fetch(&buckets[choose<Slots>(buckets, filled, ring, at[1] + i)]);
  }
  for (std::size_t i = 0; reads && i < ListRing::kBlock; ++i) {
    fetch_run(runs, run_numbers, read<Slots>(buckets, ring, at[2] + i));
  }
}

}  // namespace bridge

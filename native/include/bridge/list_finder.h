// Finds the lists of many keys in a cuckoo table, waiting for memory many keys at a time.
//
// Keys enter in blocks and take three steps, `kApart` keys from one to the next: their first bucket
// is asked for; it is read, and the second asked for where the entity may be there; that is read.
// Each key's step stands beside the steps of others, so that lines are asked for evenly: a machine
// waits for two dozen at once, and those of a burst would wait for one another. No step branches on
// what it finds: a wrong guess costs as much as the reading itself.
//
// Memory:  about a kilobyte and a half, in the finder.
// Threads: a finder is one thread's; many may ask one table, as with `CuckooView::find`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "bridge/cuckoo_table.h"

namespace bridge {

// What is asked, of which table.
struct ListQuestion {
  CuckooView table;
  bool verify;
  std::span<const Key> keys;
  std::span<const std::uint32_t> runs;  // asked for at each list found that is a place in them
};

// The keys under way: key i stands at i % kSize.
struct ListRing {
  static constexpr std::size_t kBlock = 8;  // as many keys as a vector of AVX-512 holds
  static constexpr std::size_t kApart = 2 * kBlock, kSize = 8 * kBlock;

  alignas(64) std::array<Key, kSize> keys;
  alignas(64) std::array<std::uint32_t, kSize> firsts;
  alignas(64) std::array<std::uint32_t, kSize> seconds;
  alignas(64) std::array<std::uint32_t, kSize> fingerprints;
  alignas(64) std::array<ListHandle, kSize> lists;
};

// `step(question, ring, start)` takes a step with three blocks: the first with the keys from
// `start` on, the second and third with those that entered kApart and 2 * kApart keys before, if
// any did.
struct FindKernel {
  const char* name;
  void (*step)(const ListQuestion&, ListRing&, std::size_t start);
};

// The kernels this machine can run for full keys, fastest first; the last is the portable one.
// Without `verify` there is the portable one alone.
std::span<const FindKernel> find_kernels(bool verify);

class ListFinder {
 public:
  explicit ListFinder(const ListQuestion& question)
      : ListFinder(question, find_kernels(question.verify).front()) {}
  // Requires: the kernel is one of `find_kernels(question.verify)`.
  ListFinder(const ListQuestion& question, const FindKernel& kernel);

  // What `CuckooView::find` gives each of the next keys, in order: its list, or `kNoList`. Valid
  // until the next call; none at the end.
  std::span<const ListHandle> next();

 private:
  std::span<ListHandle> finished(std::size_t start);

  ListQuestion question_;
  const FindKernel* kernel_;
  std::size_t entered_ = 0;
  ListRing ring_;
};

}  // namespace bridge

// A map from 64-bit keys to 32-bit numbers in one row of memory, by open addressing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "bridge/hash.h"

namespace bridge {

class FlatMap {
 public:
  // The number under `key`, and whether it was there: it is `fresh` otherwise, from now on.
  // Requires: fresh != 2^32 - 1.
  std::pair<std::uint32_t, bool> insert(std::uint64_t key, std::uint32_t fresh) {
    if ((size_ + 1) * 2 > slots_.size()) {
      grow();
    }
    Slot& slot = slots_[find(key)];
    if (slot.value != kEmpty) {
      return {slot.value, true};
    }
    slot = {key, fresh};
    ++size_;
    return {fresh, false};
  }

  // The number under `key`, or `none`.
  std::uint32_t get(std::uint64_t key, std::uint32_t none) const {
    if (slots_.empty()) {
      return none;
    }
    const Slot& slot = slots_[find(key)];
    return slot.value == kEmpty ? none : slot.value;
  }

 private:
  static constexpr std::uint32_t kEmpty = 0xFFFFFFFFU;
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t value = kEmpty;
  };

  std::size_t find(std::uint64_t key) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = mix(key) & mask;
    while (slots_[at].value != kEmpty && slots_[at].key != key) {
      at = (at + 1) & mask;
    }
    return at;
  }

  void grow() {
    std::vector<Slot> old(slots_.empty() ? 1024 : slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.value != kEmpty) {
        slots_[find(slot.key)] = slot;
      }
    }
  }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace bridge

// Numbers the distinct keys of a build.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "bridge/hash.h"

namespace bridge {

// Numbers keys from 0 in the order they come, by open addressing.
class KeyNumbers {
 public:
  std::uint32_t operator()(Key key) {
    if ((keys_.size() + 1) * 2 > slots_.size()) {
      grow();
    }
    std::uint32_t& slot = find(key);
    if (slot == kEmpty) {
      slot = static_cast<std::uint32_t>(keys_.size());
      keys_.push_back(key);
    }
    return slot;
  }
  const std::vector<Key>& keys() const { return keys_; }

 private:
  static constexpr std::uint32_t kEmpty = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t& find(Key key) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = mix(key) & mask;
    while (slots_[at] != kEmpty && keys_[slots_[at]] != key) {
      at = (at + 1) & mask;
    }
    return slots_[at];
  }
  void grow() {
    slots_.assign(std::max<std::size_t>(64, slots_.size() * 2), kEmpty);
    for (std::size_t n = 0; n < keys_.size(); ++n) {
      find(keys_[n]) = static_cast<std::uint32_t>(n);
    }
  }

  std::vector<Key> keys_;
  std::vector<std::uint32_t> slots_;
};

}  // namespace bridge

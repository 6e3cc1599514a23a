// Goes through the keys of several indexes as if they were one.
#pragma once

#include <compare>
#include <cstddef>
#include <queue>
#include <span>
#include <vector>

#include "bridge/hash.h"

namespace bridge {

// Where a key stands: at `at` in list `list`.
struct KeyPlace {
  std::size_t list, at;
};

// Calls `visit(key, places)` for every key of the lists, ascending, with all places it has, by
// ascending list; `key_of` is the key of a row. Requires: every list ascends by key, and has none
// twice. Cost: O(keys * log lists).
template <typename Row, typename KeyOf, typename Visit>
void merge_keys(std::span<const std::span<const Row>> lists, KeyOf key_of, Visit visit) {
  struct Head {
    Key key;
    std::size_t list, at;
    auto operator<=>(const Head&) const = default;
  };
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heads;
  const auto advance = [&](std::size_t list, std::size_t at) {
    if (at < lists[list].size()) {
      heads.push({key_of(lists[list][at]), list, at});
    }
  };
  for (std::size_t list = 0; list < lists.size(); ++list) {
    advance(list, 0);
  }
  std::vector<KeyPlace> places;
  while (!heads.empty()) {
    const Key key = heads.top().key;
    places.clear();
    while (!heads.empty() && heads.top().key == key) {
      places.push_back({heads.top().list, heads.top().at});
      heads.pop();
    }
    visit(key, std::span<const KeyPlace>(places));
    for (const auto [list, at] : places) {
      advance(list, at + 1);
    }
  }
}

// The same for lists of keys alone.
template <typename Visit>
void merge_keys(std::span<const std::span<const Key>> lists, Visit visit) {
  merge_keys<Key>(lists, [](Key key) { return key; }, visit);
}

}  // namespace bridge

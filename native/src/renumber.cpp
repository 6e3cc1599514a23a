#include "bridge/renumber.h"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace bridge {

std::uint32_t count_kept(std::span<const Renumbering> maps) {
  std::size_t kept = 0;
  for (const Renumbering map : maps) {
    kept += map.size() - static_cast<std::size_t>(std::count(map.begin(), map.end(), kDropped));
  }
  std::vector<bool> given(kept);
  for (const Renumbering map : maps) {
    for (const std::uint32_t number : map) {
      if (number == kDropped) {
        continue;
      }
      if (number >= kept || given[number]) {
        throw std::invalid_argument("the maps keep " + std::to_string(kept) + " numbers, and " +
                                    std::to_string(number) +
                                    " is one too many; give each from 0 up once");
      }
      given[number] = true;
    }
  }
  return static_cast<std::uint32_t>(kept);  // `kDropped` is no number: there are fewer than 2^32
}

}  // namespace bridge

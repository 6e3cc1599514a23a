#include "bridge/floor.h"

#include <algorithm>

#include "batch.h"

namespace bridge {

std::uint64_t chase_lines(std::span<const std::uint64_t> lines, std::size_t steps) {
  const std::size_t last = lines.size() / kLineNumbers - 1;
  std::size_t at = 0;
  for (; steps > 0; --steps) {
    at = std::min<std::size_t>(lines[at * kLineNumbers], last);
  }
  return at;
}

std::uint64_t sum_lines(std::span<const std::uint64_t> lines, std::span<const std::uint32_t> order,
                        std::size_t ahead) {
  const std::size_t last = lines.size() / kLineNumbers - 1;
  const auto line = [&](std::size_t i) -> const std::uint64_t& {
    return lines[std::min<std::size_t>(order[i], last) * kLineNumbers];
  };
  const std::size_t asked = ahead == 0 ? 0 : order.size() - std::min(ahead, order.size());
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < asked; ++i) {
    fetch(&line(i + ahead));
    sum += line(i);
  }
  for (std::size_t i = asked; i < order.size(); ++i) {
    sum += line(i);
  }
  return sum;
}

}  // namespace bridge

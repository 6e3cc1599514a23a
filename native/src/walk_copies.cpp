#include <algorithm>

#include "walk_parts.h"

namespace bridge {

DistinctWords distinct_words(const WalkGraph& graph, std::uint32_t chunk) {
  const auto [segment, here] = graph.at(chunk);
  const auto stems = graph.segment(segment).names->stems(here);
  DistinctWords words(stems.begin(), stems.end());
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

bool holds(const DistinctWords& other, const DistinctWords& own, double most) {
  std::size_t both = 0;
  for (std::size_t i = 0, j = 0; i < own.size() && j < other.size();) {
    if (own[i] == other[j]) {
      ++both;
      ++i;
      ++j;
    } else {
      own[i] < other[j] ? ++i : ++j;
    }
  }
  return static_cast<double>(both) > most * static_cast<double>(own.size());
}

std::vector<std::uint32_t> copies_last(const WalkGraph& graph,
                                       std::span<const std::uint32_t> earlier,
                                       std::span<const std::uint32_t> chunks, double most,
                                       std::size_t reach) {
  std::vector<DistinctWords> seen;
  for (const std::uint32_t chunk : earlier) {
    seen.push_back(distinct_words(graph, chunk));
  }
  std::vector<std::uint32_t> order, copies;
  const auto looked_at = static_cast<std::uint32_t>(std::min(reach, chunks.size()));
  for (std::uint32_t i = 0; i < looked_at; ++i) {
    DistinctWords own = distinct_words(graph, chunks[i]);
    const bool copy = std::any_of(seen.begin(), seen.end(), [&](const DistinctWords& other) {
      return holds(other, own, most);
    });
    if (copy) {
      copies.push_back(i);
    } else {
      order.push_back(i);
      seen.push_back(std::move(own));
    }
  }
  order.insert(order.end(), copies.begin(), copies.end());
  for (auto i = looked_at; i < chunks.size(); ++i) {
    order.push_back(i);
  }
  return order;
}

}  // namespace bridge

// Which chunks of a pool are chosen.
#include <algorithm>
#include <utility>

#include "walk_parts.h"

namespace bridge {

std::vector<std::uint8_t> held(const WalkGraph& graph, std::span<const std::uint32_t> chunks,
                               std::span<const Stem> stems) {
  std::uint64_t bits = 0;
  FlatMap places;
  std::vector<std::uint32_t> place_of(stems.size());  // the first with the same stem
  for (std::uint32_t t = 0; t < stems.size(); ++t) {
    bits |= std::uint64_t{1} << (stems[t] % 64);
    place_of[t] = places.insert(stems[t], t).first;
  }
  std::vector<std::uint8_t> holds(chunks.size() * stems.size(), 0);
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const auto [segment, chunk] = graph.at(chunks[i]);
    const auto row = std::span(holds).subspan(i * stems.size(), stems.size());
    for (const Stem stem : graph.segment(segment).names->stems(chunk)) {
      if (bits >> (stem % 64) & 1) {
        const std::uint32_t place = places.get(stem, kNowhere);
        if (place != kNowhere) {
          row[place] = 1;
        }
      }
    }
    for (std::size_t t = 0; t < stems.size(); ++t) {
      row[t] = row[place_of[t]];
    }
  }
  return holds;
}

// Raises for each chunk of the pool the share of the weight of `chunk` that comes to it.
void Push::hand_on(std::uint32_t chunk, const Pool& pool, std::vector<double>& most) {
  std::vector<double> arrived(chunks_.size(), 0.0);
  const Edges edges = leaving_chunk(chunk_node(chunk));
  for (const Edge& edge : edges) {
    for (const Edge& next : leaving_name(edge.to)) {
      arrived.resize(std::max<std::size_t>(arrived.size(), next.to + std::size_t{1}), 0.0);
      arrived[next.to] += quantised(edge.share * next.share);
    }
  }
  for (std::size_t i = 0; i < pool.chunks.size(); ++i) {
    const std::uint32_t node = chunk_of_number_.get(pool.chunks[i], kNowhere);
    most[i] = std::max(most[i], node < arrived.size() ? arrived[node] : 0.0);
  }
}

Chosen Push::choose(const Pool& pool, const Asked& words, double link_weight, std::size_t count) {
  constexpr double kMostHeld = 0.9;      // of the distinct words of either, in the other: a copy
  constexpr std::ptrdiff_t kMostCopies = 2;  // chosen with the same words
  enum class State : std::uint8_t { kOpen, kCopy, kTaken };
  const std::size_t size = pool.chunks.size(), terms = words.stems.size();
  const std::vector<std::uint8_t> held_words = held(graph_, pool.chunks, words.stems);
  std::vector<double> worth(words.weights.begin(), words.weights.end());
  std::vector<double> linked(size, 0.0), gains(size, 0.0);
  std::vector<State> states(size, State::kOpen);
  std::vector<DistinctWords> seen;  // of those chosen
  const auto best_of = [&](State state) {
    std::size_t best = size;
    for (std::size_t i = 0; i < size; ++i) {
      if (states[i] == state &&
          (best == size || gains[i] > gains[best] ||
           (gains[i] == gains[best] && graph_.before(pool.chunks[i], pool.chunks[best])))) {
        best = i;
      }
    }
    return best;
  };
  Chosen chosen;
  while (chosen.places.size() < std::min(count, size)) {
    for (std::size_t i = 0; i < size; ++i) {
      gains[i] = pool.values[i] + link_weight * linked[i];
      for (std::size_t t = 0; t < terms; ++t) {
        gains[i] += held_words[i * terms + t] ? worth[t] : 0.0;
      }
    }
    std::size_t best = best_of(State::kOpen);
    DistinctWords own;
    for (; best < size; best = best_of(State::kOpen)) {
      own = distinct_words(graph_, pool.chunks[best]);
      const auto copies = std::count_if(seen.begin(), seen.end(), [&](const DistinctWords& other) {
        return holds(other, own, kMostHeld) && holds(own, other, kMostHeld);
      });
      if (copies < kMostCopies) {
        break;
      }
      states[best] = State::kCopy;
    }
    if (best < size) {
      seen.push_back(std::move(own));
    } else {
      best = best_of(State::kCopy);
    }
    states[best] = State::kTaken;
    chosen.places.push_back(static_cast<std::uint32_t>(best));
    chosen.gains.push_back(gains[best]);
    for (std::size_t t = 0; t < terms; ++t) {
      worth[t] = held_words[best * terms + t] ? 0.0 : worth[t];
    }
    hand_on(pool.chunks[best], pool, linked);
  }
  return chosen;
}

}  // namespace bridge

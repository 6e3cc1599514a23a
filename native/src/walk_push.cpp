// The rounds of a walk, and where its weight came to rest.
#include <algorithm>
#include <cmath>
#include <utility>

#include "walk_parts.h"

namespace bridge {
namespace {

std::vector<Stem> stems_at(const WalkGraph& graph, const NamePlace& place) {
  const auto [segment, chunk] = graph.at(place.chunk);
  const NameIndex& names = *graph.segment(segment).names;
  const auto stems = names.stems(chunk);
  const auto positions = names.positions(chunk);
  std::vector<Stem> found;
  for (std::size_t i = 0; i < stems.size(); ++i) {
    if (place.first <= positions[i] && positions[i] < place.first + place.words) {
      found.push_back(stems[i]);
    }
  }
  return found;
}

}  // namespace

std::vector<std::uint32_t> Push::heaviest(const std::vector<double>& weight, bool names,
                                          std::size_t count) const {
  std::vector<std::uint32_t> nodes;
  for (std::uint32_t node = 0; node < weight.size(); ++node) {
    if (weight[node] > 0) {
      nodes.push_back(node);
    }
  }
  const auto heavier = [&](std::uint32_t a, std::uint32_t b) {
    if (weight[a] != weight[b]) {
      return weight[a] > weight[b];
    }
    return a != b &&
           (names ? names_[a].key < names_[b].key : graph_.before(chunks_[a], chunks_[b]));
  };
  if (count < nodes.size()) {
    std::nth_element(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(count), nodes.end(),
                     heavier);
    nodes.resize(count);
  }
  std::sort(nodes.begin(), nodes.end(), heavier);
  return nodes;
}

// Half a round: `to` is `start` and what the heaviest of `from` give. Returns for each node of `to`
// the one that gave it most, or kNowhere for the start.
template <typename Leaving>
std::vector<std::uint32_t> Push::step(const std::vector<double>& start,
                                      const std::vector<double>& from, bool from_names,
                                      std::vector<double>& to, Leaving leaving) {
  const WalkOptions& options = graph_.options();
  to.assign(from_names ? chunks_.size() : names_.size(), 0.0);
  std::vector<std::uint32_t> came(to.size(), kNowhere);
  std::vector<double> most(to.size(), 0.0);
  for (std::size_t node = 0; node < start.size(); ++node) {
    to[node] = most[node] = quantised(options.restart * start[node]);
  }
  const std::vector<std::uint32_t> frontier = heaviest(from, from_names, options.frontier);
  from_names ? prefetch_names(frontier) : prefetch_chunks(frontier);
  for (const std::uint32_t node : frontier) {
    for (const Edge& edge : leaving(node)) {
      if (edge.to >= to.size()) {
        to.resize(edge.to + 1, 0.0);
        most.resize(edge.to + 1, 0.0);
        came.resize(edge.to + 1, kNowhere);
      }
      const double amount = quantised((1 - options.restart) * from[node] * edge.share);
      to[edge.to] += amount;
      if (amount > most[edge.to]) {
        most[edge.to] = amount;
        came[edge.to] = node;
      }
    }
  }
  return came;
}

Push::Push(const WalkGraph& graph, const Asked& asked, const Weighted& start) : graph_(graph) {
  for (std::size_t s = 0; s < asked.stems.size(); ++s) {
    const auto place = static_cast<std::uint32_t>(asks_.size());
    if (asked.weights[s] > 0 && !asked_places_.insert(asked.stems[s], place).second) {
      asked_bits_ |= std::uint64_t{1} << (asked.stems[s] % 64);
      asks_.push_back(asked.weights[s]);
    }
  }
  closest_.resize(asks_.size(), 0);
  for (std::size_t gap = 0; gap < decay_.size(); ++gap) {
    decay_[gap] = std::exp(-static_cast<double>(gap) / graph.options().near_words);
  }
  std::vector<double> start_names, start_chunks;
  for (std::size_t i = 0; i < start.names.size(); ++i) {
    const std::uint32_t node = name_node(start.names[i]);
    if (node != kNowhere) {
      start_names.resize(names_.size(), 0.0);
      start_names[node] = start.name_weights[i];
    }
  }
  for (std::size_t i = 0; i < start.chunks.size(); ++i) {
    const std::uint32_t node = chunk_node(start.chunks[i]);
    start_chunks.resize(chunks_.size(), 0.0);
    start_chunks[node] = start.chunk_weights[i];
  }
  std::vector<double> now_names = start_names, now_chunks = start_chunks, next_names, next_chunks;
  for (std::uint32_t round = 0; round < graph.options().rounds; ++round) {
    came_to_names_.push_back(step(start_names, now_chunks, false, next_names,
                                  [this](std::uint32_t node) { return leaving_chunk(node); }));
    came_to_chunks_.push_back(step(start_chunks, now_names, true, next_chunks,
                                   [this](std::uint32_t node) { return leaving_name(node); }));
    now_names.swap(next_names);
    now_chunks.swap(next_chunks);
  }
  weight_ = std::move(now_chunks);
}

std::vector<std::uint32_t> Push::chunks(std::size_t count) const {
  std::vector<std::uint32_t> found = heaviest(weight_, false, count);
  for (std::uint32_t& node : found) {
    node = chunks_[node];
  }
  return found;
}

double Push::weight(std::uint32_t chunk) const {
  const std::uint32_t node = chunk_of_number_.get(chunk, kNowhere);
  return node < weight_.size() ? weight_[node] : 0.0;
}

std::vector<Push::Lead> Push::leads(std::size_t count, std::size_t most) {
  std::vector<double> gain;
  std::vector<NamePlace> places;
  for (const std::uint32_t node : heaviest(weight_, false, count)) {
    const double weight = weight_[node];
    const std::uint32_t chunk = chunks_[node];
    for (const Edge& edge : leaving_chunk(node)) {
      if (edge.to >= gain.size()) {
        gain.resize(edge.to + 1, 0.0);
        places.resize(edge.to + 1);
      }
      if (gain[edge.to] == 0) {
        places[edge.to] = {chunk, edge.first, edge.words};
      }
      gain[edge.to] += quantised(weight * edge.share);
    }
  }
  std::vector<Lead> leads;
  for (const std::uint32_t name : heaviest(gain, true, most)) {
    const NamePlace& place = places[name];
    leads.push_back({names_[name].key, gain[name], graph_.rarity(names_[name].facts), place,
                     stems_at(graph_, place)});
  }
  return leads;
}

std::vector<Push::Step> Push::way(std::uint32_t chunk) const {
  std::vector<std::uint32_t> nodes;  // chunk, name, chunk, ...: chunks at even places
  std::uint32_t node = chunk_of_number_.get(chunk, kNowhere);
  if (node >= weight_.size()) {
    return {};
  }
  nodes.push_back(node);
  for (std::size_t back = 0; back < came_to_chunks_.size(); ++back) {
    // A round pushes what the round before left on either side.
    const std::size_t round = came_to_chunks_.size() - 1 - back;
    const auto& came = (back % 2 == 0 ? came_to_chunks_ : came_to_names_)[round];
    if (node >= came.size() || came[node] == kNowhere) {
      break;
    }
    node = came[node];
    const std::size_t kind = (back + 1) % 2;
    std::size_t seen = kind;
    while (seen < nodes.size() && nodes[seen] != node) {
      seen += 2;
    }
    if (seen < nodes.size()) {
      nodes.resize(seen + 1);
    } else {
      nodes.push_back(node);
    }
  }
  std::vector<Step> steps;
  for (std::size_t i = nodes.size(); i-- > 0;) {
    if (i % 2 == 0) {
      steps.push_back({false, 0, {chunks_[nodes[i]], 0, 0}});
      continue;
    }
    NamePlace place{kNowhere, 0, 0};
    if (i + 1 < nodes.size() && from_chunk_[nodes[i + 1]]) {
      for (const Edge& edge : *from_chunk_[nodes[i + 1]]) {
        if (edge.to == nodes[i]) {
          place = {chunks_[nodes[i + 1]], edge.first, edge.words};
        }
      }
    }
    steps.push_back({true, names_[nodes[i]].key, place});
  }
  return steps;
}

}  // namespace bridge

#include "bridge/walk.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace bridge {
namespace {

constexpr double kQuantum = 0x1p48;

// Rounds down to a multiple of 2^-48: sums of such numbers below 32 are exact in any order.
double quantised(double weight) { return std::floor(weight * kQuantum) / kQuantum; }

bool there(Alive alive, std::size_t chunk) { return alive.empty() || alive[chunk] != 0; }

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

// ---- nodes

std::uint32_t Push::chunk_node(std::uint32_t chunk) {
  const auto [node, known] =
      chunk_of_number_.insert(chunk, static_cast<std::uint32_t>(chunks_.size()));
  if (!known) {
    chunks_.push_back(chunk);
    from_chunk_.emplace_back();
  }
  return node;
}

// The node of a name that stands in a chunk or is a title's, or kNowhere.
std::uint32_t Push::name_node(Key key, NameHint hint) {
  const std::uint32_t held = name_of_key_.get(key, kNowhere);
  if (held != kNowhere) {
    return held == kNowhere - 1 ? kNowhere : held;
  }
  const NameFacts facts = graph_.facts(key, hint);
  const bool stands = facts.chunks > 0 || graph_.known(facts);
  const auto node = static_cast<std::uint32_t>(names_.size());
  name_of_key_.insert(key, stands ? node : kNowhere - 1);
  if (!stands) {
    return kNowhere;
  }
  names_.push_back({key, facts, graph_.defined(facts), graph_.walkable(facts),
                    graph_.rarity(facts), hint});
  from_name_.emplace_back();
  return node;
}

// The same for the entry at `place` of a segment; kNowhere for a span of words that is no name.
std::uint32_t Push::stored_name(std::uint32_t segment, std::uint32_t place) {
  const NameIndex& names = *graph_.segment(segment).names;
  if (place >= names.names()) {
    return kNowhere;
  }
  const NameEntry& entry = names.entries()[place];
  // Most spans are neither title nor run: they are no names, unless another segment says otherwise.
  if (graph_.segments() == 1 && entry.title() == kNoTitle && entry.runs() < 2) {
    return kNowhere;
  }
  const std::uint64_t at = (std::uint64_t{segment} << 32) | place;
  const std::uint32_t held = name_of_place_.get(at, kNowhere);
  if (held != kNowhere) {
    return held == kNowhere - 1 ? kNowhere : held;
  }
  std::uint32_t node = name_node(entry.key, {segment, place});
  if (node != kNowhere && !graph_.known(names_[node].facts)) {
    node = kNowhere;
  }
  name_of_place_.insert(at, node == kNowhere ? kNowhere - 1 : node);
  return node;
}

// ---- what the memory is asked for ahead: a walk waits for little else

void Push::prefetch_chunks(std::span<const std::uint32_t> nodes) const {
  const auto each = [&](auto visit) {
    for (const std::uint32_t node : nodes) {
      if (!from_chunk_[node]) {
        const auto [segment, chunk] = graph_.at(chunks_[node]);
        visit(*graph_.segment(segment).names, chunk);
      }
    }
  };
  each([](const NameIndex& names, std::uint32_t chunk) { names.prefetch_borders(chunk); });
  each([](const NameIndex& names, std::uint32_t chunk) { names.prefetch_rows(chunk); });
  each([](const NameIndex& names, std::uint32_t chunk) {
    for (const StoredSpan& span : names.spans(chunk)) {
      names.prefetch_entry(span.name);
    }
  });
  each([](const NameIndex& names, std::uint32_t chunk) {
    for (const StoredSpan& span : names.spans(chunk)) {
      names.prefetch_name(span.name);
    }
  });
}

void Push::prefetch_names(std::span<const std::uint32_t> nodes) const {
  for (const std::uint32_t node : nodes) {
    const NameHint hint = names_[node].hint;
    if (!from_name_[node] && hint.segment != kNowhere) {
      graph_.segment(hint.segment).names->prefetch_name(hint.place);
    }
  }
}

// ---- edges

Push::Edges Push::EdgeRows::keep(const std::vector<Edge>& row) {
  constexpr std::size_t kBlock = 8192;
  if (blocks_.empty() || blocks_.back().capacity() - blocks_.back().size() < row.size()) {
    blocks_.emplace_back().reserve(std::max(kBlock, row.size()));
  }
  std::vector<Edge>& block = blocks_.back();
  const std::size_t first = block.size();
  block.insert(block.end(), row.begin(), row.end());
  return Edges(block).subspan(first);
}

// ---- from a chunk to its names

// The names in a chunk, with their nodes for names: those that titles define and all others, the
// longest first and without overlap among each; without those that its own document defines.
const std::vector<StoredSpan>& Push::mentions(std::uint32_t segment, std::uint32_t chunk) {
  const WalkSegment& here = graph_.segment(segment);
  const auto stored = here.names->spans(chunk);
  auto& [found, taken, chosen] = scratch_;
  found.clear();
  chosen.clear();
  for (StoredSpan span : stored) {
    span.name = stored_name(segment, span.name);
    if (span.name != kNowhere && span.words > 0) {
      found.push_back(span);
    }
  }
  std::sort(found.begin(), found.end(), [](const StoredSpan& a, const StoredSpan& b) {
    return a.words != b.words ? a.words > b.words : a.first < b.first;
  });
  for (const bool defined : {true, false}) {
    taken.clear();
    for (const StoredSpan& span : found) {
      const bool apart = std::none_of(taken.begin(), taken.end(), [&](const StoredSpan& other) {
        return span.first < other.first + other.words && other.first < span.first + span.words;
      });
      if (!apart || (defined && !names_[span.name].defined)) {
        continue;
      }
      taken.push_back(span);
      if (defined || !names_[span.name].defined ||
          std::none_of(chosen.begin(), chosen.end(), [&](const StoredSpan& other) {
            return other.name == span.name && other.first == span.first;
          })) {
        chosen.push_back(span);
      }
    }
  }
  const std::uint32_t document = WalkGraph::document(here, chunk);
  std::erase_if(chosen, [&](const StoredSpan& span) {
    const Name& name = names_[span.name];
    if (!name.defined) {
      return false;
    }
    const auto definitions = graph_.definitions(segment, name.key, name.hint);
    return std::any_of(definitions.begin(), definitions.end(), [&](const Definition& definition) {
      return definition.document == document;
    });
  });
  return chosen;
}

// Notes where a chunk holds what the question asks with.
void Push::find_asked(const NameIndex& names, std::uint32_t chunk) {
  near_.clear();
  if (asked_bits_ == 0) {
    return;
  }
  const auto stems = names.stems(chunk);
  const auto positions = names.positions(chunk);
  for (std::size_t i = 0; i < stems.size() && positions[i] != kTitlePosition; ++i) {
    if (!(asked_bits_ >> (stems[i] % 64) & 1)) {
      continue;
    }
    for (std::size_t s = 0; s < stems_.size(); ++s) {
      if (stems_[s] == stems[i]) {
        near_.push_back({positions[i], static_cast<std::uint16_t>(s)});
      }
    }
  }
}

// How much of what is asked stands around a span, in [0, 1]: 1 with no gap at all.
double Push::nearness(const StoredSpan& span) const {
  const unsigned last = span.first + span.words - 1U;
  double sum = 0;
  for (std::size_t s = 0; s < stems_.size(); ++s) {  // of each stem the closest counts
    unsigned closest = kNearMost + 1;
    for (const Near& near : near_) {
      if (near.stem != s) {
        continue;
      }
      if (near.position < span.first) {
        closest = std::min(closest, static_cast<unsigned>(span.first - near.position));
      } else if (near.position > last) {
        closest = std::min(closest, near.position - last);
      }
    }
    if (closest <= kNearMost) {
      sum += asks_[s] * decay_[closest];
    }
  }
  return sum;
}

Push::Edges Push::leaving_chunk(std::uint32_t node) {
  if (from_chunk_[node]) {
    return *from_chunk_[node];
  }
  const auto [segment, chunk] = graph_.at(chunks_[node]);
  const std::vector<StoredSpan>& found = mentions(segment, chunk);
  find_asked(*graph_.segment(segment).names, chunk);
  std::vector<Edge>& edges = row_;
  edges.clear();
  std::vector<double> near;
  for (const StoredSpan& span : found) {
    if (!names_[span.name].walkable) {
      continue;
    }
    const double here = near_.empty() ? 0.0 : nearness(span);
    std::size_t i = 0;
    while (i < edges.size() && edges[i].to != span.name) {
      ++i;
    }
    if (i == edges.size()) {
      edges.push_back({span.name, 0, span.first, span.words});
      near.push_back(here);
    } else if (here > near[i]) {
      near[i] = here;
      edges[i].first = span.first;
      edges[i].words = span.words;
    }
  }
  double total = 0;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    edges[i].share = names_[edges[i].to].rarity * (1 + graph_.options().near_weight * near[i]);
    total += edges[i].share;
  }
  std::erase_if(edges, [](const Edge& edge) { return !(edge.share > 0); });
  for (Edge& edge : edges) {
    edge.share /= total;
  }
  from_chunk_[node] = rows_.keep(edges);
  return *from_chunk_[node];
}

// ---- from a name to chunks

// What defines a name, then what mentions it. Together more than 1 where there are many: a hub
// loses less than its share.
Push::Edges Push::leaving_name(std::uint32_t node) {
  if (from_name_[node]) {
    return *from_name_[node];
  }
  const Name name = names_[node];
  const WalkOptions& options = graph_.options();
  const bool narrow = name.facts.chunks <= options.width;
  std::vector<Edge>& edges = row_;
  edges.clear();
  std::size_t mentions = name.facts.chunks;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> own;  // chunks of the documents it titles
  for (std::uint32_t i = 0; i < graph_.segments(); ++i) {
    const WalkSegment& here = graph_.segment(i);
    const std::uint32_t first = graph_.first(i);
    own.clear();
    for (const Definition& definition :
         name.defined ? graph_.definitions(i, name.key, name.hint)
                      : std::span<const Definition>{}) {
      if (definition.document + std::size_t{1} >= here.first_chunk.size()) {
        continue;
      }
      const std::uint32_t chunk = here.first_chunk[definition.document];
      if (chunk < here.names->chunks() && there(here.alive, chunk)) {
        own.emplace_back(chunk, here.first_chunk[definition.document + std::size_t{1}]);
        edges.push_back(
            {chunk_node(first + chunk), options.definition_weight / name.facts.documents, 0, 0});
      }
    }
    const std::size_t place = narrow ? graph_.place(i, name.key, name.hint) : here.names->names();
    if (place == here.names->names()) {
      continue;
    }
    for (const std::uint32_t posting : here.names->postings(place)) {
      const std::uint32_t chunk = posting & ~kRun;
      if (chunk >= here.names->chunks() || !there(here.alive, chunk)) {
        continue;
      }
      const bool is_own = std::any_of(own.begin(), own.end(), [chunk](const auto& range) {
        return range.first <= chunk && chunk < range.second;
      });
      if (is_own) {
        --mentions;
      } else {
        edges.push_back({chunk_node(first + chunk), 1.0, 0, 0});
      }
    }
  }
  const double degree =
      (name.defined ? options.definition_weight : 0.0) + static_cast<double>(mentions);
  const double shared = std::pow(degree, options.degree_power);
  for (Edge& edge : edges) {
    edge.share /= shared;
  }
  from_name_[node] = rows_.keep(edges);
  return *from_name_[node];
}

// ---- rounds

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
    std::nth_element(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(count),
                     nodes.end(), heavier);
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
    if (asked.weights[s] > 0) {
      asked_bits_ |= std::uint64_t{1} << (asked.stems[s] % 64);
      stems_.push_back(asked.stems[s]);
      asks_.push_back(asked.weights[s]);
    }
  }
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
    came_to_names_.push_back(
        step(start_names, now_chunks, false, next_names,
             [this](std::uint32_t node) { return leaving_chunk(node); }));
    came_to_chunks_.push_back(
        step(start_chunks, now_names, true, next_chunks,
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

// ---- choice

std::vector<std::uint8_t> held(const WalkGraph& graph, std::span<const std::uint32_t> chunks,
                               std::span<const Stem> stems) {
  std::uint64_t bits = 0;
  for (const Stem stem : stems) {
    bits |= std::uint64_t{1} << (stem % 64);
  }
  std::vector<std::uint8_t> holds(chunks.size() * stems.size(), 0);
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const auto [segment, chunk] = graph.at(chunks[i]);
    for (const Stem stem : graph.segment(segment).names->stems(chunk)) {
      if (bits >> (stem % 64) & 1) {
        for (std::size_t t = 0; t < stems.size(); ++t) {
          holds[i * stems.size() + t] |= stems[t] == stem;
        }
      }
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
  const std::size_t terms = words.stems.size();
  const std::vector<std::uint8_t> holds = held(graph_, pool.chunks, words.stems);
  std::vector<double> worth(words.weights.begin(), words.weights.end());
  std::vector<double> linked(pool.chunks.size(), 0.0);
  std::vector<bool> taken(pool.chunks.size(), false);
  Chosen chosen;
  for (std::size_t n = 0; n < std::min(count, pool.chunks.size()); ++n) {
    std::size_t best = pool.chunks.size();
    double most = 0;
    for (std::size_t i = 0; i < pool.chunks.size(); ++i) {
      if (taken[i]) {
        continue;
      }
      double gain = pool.values[i] + link_weight * linked[i];
      for (std::size_t t = 0; t < terms; ++t) {
        gain += holds[i * terms + t] ? worth[t] : 0.0;
      }
      if (best == pool.chunks.size() || gain > most ||
          (gain == most && graph_.before(pool.chunks[i], pool.chunks[best]))) {
        best = i;
        most = gain;
      }
    }
    taken[best] = true;
    chosen.places.push_back(static_cast<std::uint32_t>(best));
    chosen.gains.push_back(most);
    for (std::size_t t = 0; t < terms; ++t) {
      worth[t] = holds[best * terms + t] ? 0.0 : worth[t];
    }
    hand_on(pool.chunks[best], pool, linked);
  }
  return chosen;
}

}  // namespace bridge

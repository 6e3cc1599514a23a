// The edges of a walk: from a chunk to its names, and from a name to chunks.
#include <algorithm>
#include <cmath>
#include <utility>

#include "walk_parts.h"

namespace bridge {
namespace {

std::span<std::uint8_t> positions(std::vector<std::uint8_t>& of, const StoredSpan& span) {
  return std::span(of).subspan(span.first, span.words);
}

}  // namespace

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

// Adds to the chosen those found, of names that titles define or of all, that overlap none before.
void Push::choose_apart(bool defined) {
  auto& [found, chosen, covered] = scratch_;
  for (StoredSpan& span : found) {
    const auto here = positions(covered, span);
    if ((defined && !names_[span.name].defined) ||
        std::find(here.begin(), here.end(), 1) != here.end()) {
      continue;
    }
    std::fill(here.begin(), here.end(), std::uint8_t{1});
    if (span.run == 0) {
      span.run = 1;
      chosen.push_back(span);
    }
  }
  for (const StoredSpan& span : found) {
    if (span.run != 0) {
      const auto here = positions(covered, span);
      std::fill(here.begin(), here.end(), std::uint8_t{0});
    }
  }
}

// The names in a chunk, with their nodes for names: those that titles define and all others, the
// longest first and without overlap among each; without those that its own document defines.
const std::vector<StoredSpan>& Push::mentions(std::uint32_t segment, std::uint32_t chunk) {
  const WalkSegment& here = graph_.segment(segment);
  const auto stored = here.names->spans(chunk);
  auto& [found, chosen, covered] = scratch_;
  found.clear();
  chosen.clear();
  std::size_t end = 0;
  for (StoredSpan span : stored) {
    span.name = stored_name(segment, span.name);
    if (span.name != kNowhere && span.words > 0) {
      span.run = 0;
      found.push_back(span);
      end = std::max<std::size_t>(end, span.first + std::size_t{span.words});
    }
  }
  covered.resize(std::max(covered.size(), end), 0);
  std::sort(found.begin(), found.end(), [](const StoredSpan& a, const StoredSpan& b) {
    return a.words != b.words ? a.words > b.words : a.first < b.first;
  });
  choose_apart(true);
  choose_apart(false);
  const std::uint32_t document = WalkGraph::document(here, chunk);
  std::erase_if(chosen, [&](const StoredSpan& span) {
    const Name& name = names_[span.name];
    if (!name.defined) {
      return false;
    }
    const auto definitions = graph_.definitions(segment, name.key, name.hint);
    const auto own = std::lower_bound(
        definitions.begin(), definitions.end(), document,
        [](const Definition& one, std::uint32_t wanted) { return one.document < wanted; });
    return own != definitions.end() && own->document == document;
  });
  return chosen;
}

// Notes where a chunk holds what the question asks with, ascending.
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
    const std::uint32_t place = asked_places_.get(stems[i], kNowhere);
    if (place != kNowhere) {
      near_.push_back({positions[i], place});
    }
  }
}

// How much of what is asked stands around a span, in [0, 1]: 1 with no gap at all.
double Push::nearness(const StoredSpan& span) {
  const unsigned first = span.first, last = first + span.words - 1U;
  std::vector<std::uint32_t>& stems = near_stems_;
  stems.clear();
  auto near = std::lower_bound(
      near_.begin(), near_.end(), first - std::min(first, kNearMost),
      [](const Near& here, unsigned position) { return here.position < position; });
  for (; near != near_.end() && near->position <= last + kNearMost; ++near) {
    const unsigned at = near->position;
    const unsigned gap = at < first ? first - at : at - std::min(at, last);
    if (gap == 0 || gap > kNearMost) {
      continue;
    }
    unsigned& closest = closest_[near->stem];
    if (closest == 0) {
      stems.push_back(near->stem);
    }
    closest = closest == 0 ? gap : std::min(closest, gap);
  }
  std::sort(stems.begin(), stems.end());  // the order of a sum tells in its last bits
  double sum = 0;
  for (const std::uint32_t stem : stems) {
    sum += asks_[stem] * decay_[std::exchange(closest_[stem], 0U)];
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
  edge_of_name_.resize(names_.size(), kNowhere);
  for (const StoredSpan& span : found) {
    if (!names_[span.name].walkable) {
      continue;
    }
    const double here = near_.empty() ? 0.0 : nearness(span);
    std::uint32_t& i = edge_of_name_[span.name];
    if (i == kNowhere) {
      i = static_cast<std::uint32_t>(edges.size());
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
    edge_of_name_[edges[i].to] = kNowhere;
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
    for (const Definition& definition : name.defined ? graph_.definitions(i, name.key, name.hint)
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

}  // namespace bridge

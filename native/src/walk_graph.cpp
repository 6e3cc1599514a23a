#include <algorithm>
#include <cmath>
#include <tuple>

#include "walk_parts.h"

namespace bridge {

WalkGraph::WalkGraph(std::vector<WalkSegment> segments, const WalkOptions& options)
    : segments_(std::move(segments)), options_(options) {
  std::uint32_t first = 0;
  for (const WalkSegment& segment : segments_) {
    first_.push_back(first);
    const std::size_t chunks = segment.names->chunks();
    first += static_cast<std::uint32_t>(chunks);
    live_chunks_ += static_cast<double>(
        segment.alive.empty()
            ? chunks
            : static_cast<std::size_t>(std::count_if(segment.alive.begin(), segment.alive.end(),
                                                     [](std::uint8_t is) { return is != 0; })));
  }
  first_.push_back(first);
}

std::size_t WalkGraph::place(std::size_t segment, Key name, NameHint hint) const {
  return hint.segment == segment ? hint.place : segments_[segment].names->find(name);
}

std::span<const Definition> WalkGraph::definitions(std::size_t segment, Key name,
                                                   NameHint hint) const {
  const NameIndex& names = *segments_[segment].names;
  if (hint.segment != segment || hint.place >= names.names()) {
    return names.definitions(name);
  }
  const auto all = names.definitions();
  const std::size_t first = std::min<std::size_t>(names.entries()[hint.place].title(), all.size());
  const auto rest = all.subspan(first);
  std::size_t reach = 1;  // most names have one: the end is looked for near by first
  while (reach < rest.size() && rest[reach].name == name) {
    reach *= 2;
  }
  const auto near = rest.first(std::min(reach, rest.size()));
  const auto end =
      std::upper_bound(near.begin(), near.end(), name,
                       [](Key wanted, const Definition& here) { return wanted < here.name; });
  return near.first(static_cast<std::size_t>(end - near.begin()));
}

NameFacts WalkGraph::facts(Key name, NameHint hint) const {
  NameFacts facts;
  for (std::size_t s = 0; s < segments_.size(); ++s) {
    const WalkSegment& segment = segments_[s];
    const std::size_t place = this->place(s, name, hint);
    if (place < segment.names->names()) {
      const auto postings = segment.names->postings(place);
      if (segment.alive.empty()) {
        facts.chunks += static_cast<std::uint32_t>(postings.size());
        facts.runs = std::min(2U, facts.runs + segment.names->entries()[place].runs());
      } else {
        for (const std::uint32_t posting : postings) {
          if ((posting & ~kRun) < segment.alive.size() && there(segment.alive, posting & ~kRun)) {
            ++facts.chunks;
            facts.runs += facts.runs < 2 && posting >= kRun;
          }
        }
      }
    }
    const auto definitions = this->definitions(s, name, hint);
    if (segment.alive.empty()) {
      facts.documents += static_cast<std::uint32_t>(definitions.size());
    } else {
      for (const Definition& definition : definitions) {
        if (facts.documents > options_.width) {
          break;  // too many to be defined, however many more
        }
        facts.documents += definition.document + std::size_t{1} < segment.first_chunk.size() &&
                           there(segment.alive, segment.first_chunk[definition.document]);
      }
    }
  }
  return facts;
}

bool WalkGraph::defined(const NameFacts& facts) const {
  return 0 < facts.documents && facts.documents <= options_.width;
}

bool WalkGraph::known(const NameFacts& facts) const { return defined(facts) || facts.runs > 1; }

bool WalkGraph::walkable(const NameFacts& facts) const {
  return defined(facts) || facts.chunks <= options_.width;
}

double WalkGraph::rarity(const NameFacts& facts) const {
  return std::max(0.0, std::log((live_chunks_ + 1) / (facts.chunks + 0.5)));
}

std::vector<std::uint32_t> WalkGraph::chunks_of(Key name) const {
  const NameFacts known = facts(name);
  std::vector<std::uint32_t> found;
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    const WalkSegment& here = segments_[i];
    const auto add = [&](std::uint32_t chunk) {
      if (chunk < here.names->chunks() && there(here.alive, chunk)) {
        found.push_back(first_[i] + chunk);
      }
    };
    const std::size_t place = here.names->find(name);
    if (known.chunks <= options_.width && place < here.names->names()) {
      for (const std::uint32_t posting : here.names->postings(place)) {
        add(posting & ~kRun);
      }
    }
    if (defined(known)) {
      for (const Definition& definition : here.names->definitions(name)) {
        if (definition.document + std::size_t{1} < here.first_chunk.size()) {
          add(here.first_chunk[definition.document]);
        }
      }
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

WalkGraph::At WalkGraph::at(std::uint32_t chunk) const {
  const auto next = std::upper_bound(first_.begin(), first_.end() - 1, chunk);
  const auto segment = static_cast<std::uint32_t>(next - first_.begin() - 1);
  return {segment, chunk - first_[segment]};
}

std::uint32_t WalkGraph::document(const WalkSegment& segment, std::uint32_t chunk) {
  const auto next =
      std::upper_bound(segment.first_chunk.begin(), segment.first_chunk.end() - 1, chunk);
  return static_cast<std::uint32_t>(next - segment.first_chunk.begin() - 1);
}

bool WalkGraph::before(std::uint32_t a, std::uint32_t b) const {
  if (segments_.size() == 1) {
    return a < b;  // its documents ascend by id
  }
  const auto place = [this](std::uint32_t chunk) {
    const At where = at(chunk);
    const WalkSegment& segment = segments_[where.segment];
    const std::uint32_t number = document(segment, where.chunk);
    return std::tuple{segment.names->id(number), where.chunk - segment.first_chunk[number], chunk};
  };
  return place(a) < place(b);
}

}  // namespace bridge

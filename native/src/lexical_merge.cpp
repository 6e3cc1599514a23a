#include <algorithm>
#include <string>
#include <utility>

#include "bridge/lexical.h"
#include "lexical_payload.h"
#include "merge_keys.h"

namespace bridge {
namespace {

struct Posting {
  std::uint32_t chunk;
  std::uint16_t count;
  bool operator<(const Posting& other) const { return chunk < other.chunk; }
};

// The parts of a merge, sound, with their maps.
class Parts {
 public:
  Parts(std::span<const LexicalIndex* const> parts, std::span<const Renumbering> maps)
      : maps_(maps) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (maps[i].size() != parts[i]->chunks()) {
        throw std::invalid_argument("part " + std::to_string(i) + " has " +
                                    std::to_string(parts[i]->chunks()) + " chunks, its map " +
                                    std::to_string(maps[i].size()));
      }
      entries_.push_back(parts[i]->entries());
      terms_.push_back(entries_.back().terms);
    }
  }

  // Calls `visit(term, postings)` for every term that is still somewhere, ascending; its postings
  // have the new numbers, and stand in the order of the parts.
  template <typename Visit>
  void for_each_term(Visit visit) const {
    std::vector<Posting> kept;
    merge_keys(terms_, [&](Term term, std::span<const KeyPlace> places) {
      kept.clear();
      for (const auto [part, at] : places) {
        const LexicalEntries& all = entries_[part];
        for (std::size_t i = all.offsets[at]; i < all.offsets[at + 1]; ++i) {
          const std::uint32_t chunk = maps_[part][all.chunks[i]];
          if (chunk != kDropped) {
            kept.push_back({chunk, all.counts[i]});
          }
        }
      }
      if (!kept.empty()) {
        visit(term, std::span(kept));
      }
    });
  }

 private:
  std::span<const Renumbering> maps_;
  std::vector<LexicalEntries> entries_;
  std::vector<std::span<const Term>> terms_;
};

}  // namespace

Image merge_lexical(std::span<const LexicalIndex* const> parts, std::span<const Renumbering> maps) {
  const Parts all(parts, maps);
  const std::uint32_t chunks = count_kept(maps);
  std::uint64_t terms = 0, postings = 0, total_length = 0;
  all.for_each_term([&](Term, std::span<Posting> found) {
    ++terms;
    postings += found.size();
  });
  const auto for_each_length = [&](auto visit) {
    for (std::size_t part = 0; part < parts.size(); ++part) {
      for (std::size_t chunk = 0; chunk < maps[part].size(); ++chunk) {
        if (maps[part][chunk] != kDropped) {
          visit(maps[part][chunk], parts[part]->lengths()[chunk]);
        }
      }
    }
  };
  for_each_length([&](std::uint32_t, std::uint32_t length) { total_length += length; });

  LexicalDraft draft(chunks, terms, postings, total_length);
  for_each_length(
      [&](std::uint32_t chunk, std::uint32_t length) { draft.lengths[chunk] = length; });
  std::size_t t = 0, end = 0;
  all.for_each_term([&](Term term, std::span<Posting> found) {
    if (!std::is_sorted(found.begin(), found.end())) {
      std::sort(found.begin(), found.end());
    }
    draft.terms[t] = term;
    for (const Posting& posting : found) {
      draft.postings[end] = posting.chunk;
      draft.counts[end++] = posting.count;
    }
    draft.offsets[++t] = end;
  });
  return std::move(draft.image);
}

}  // namespace bridge

#include <algorithm>
#include <string>
#include <vector>

#include "bridge/lexical.h"
#include "lexical_payload.h"
#include "merge_keys.h"
#include "section_writer.h"

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
  Parts(std::span<const LexicalIndex* const> parts, std::span<const Renumbering> maps, Pace& pace)
      : maps_(maps), pace_(pace) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (maps[i].size() != parts[i]->chunks()) {
        throw std::invalid_argument("part " + std::to_string(i) + " has " +
                                    std::to_string(parts[i]->chunks()) + " chunks, its map " +
                                    std::to_string(maps[i].size()));
      }
      entries_.push_back(parts[i]->entries(&pace));
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
        pace_.read(kTermBytes + (all.offsets[at + 1] - all.offsets[at]) * kPostingBytes);
      }
      if (!kept.empty()) {
        visit(term, std::span(kept));
      }
    });
  }

 private:
  static constexpr std::size_t kTermBytes = sizeof(Term) + sizeof(std::uint64_t),
                               kPostingBytes = sizeof(std::uint32_t) + sizeof(std::uint16_t);

  std::span<const Renumbering> maps_;
  Pace& pace_;
  std::vector<LexicalEntries> entries_;
  std::vector<std::span<const Term>> terms_;
};

}  // namespace

void merge_lexical(std::span<const LexicalIndex* const> parts, std::span<const Renumbering> maps,
                   Sink& sink) {
  Pace pace(sink);
  const Parts all(parts, maps, pace);
  const std::uint32_t chunks = count_kept(maps);
  std::uint64_t terms = 0, postings = 0, total_length = 0;
  all.for_each_term([&](Term, std::span<Posting> found) {
    ++terms;
    postings += found.size();
  });
  std::vector<std::uint32_t> lengths(chunks);
  for (std::size_t part = 0; part < parts.size(); ++part) {
    for (std::size_t chunk = 0; chunk < maps[part].size(); ++chunk) {
      if (maps[part][chunk] != kDropped) {
        lengths[maps[part][chunk]] = parts[part]->lengths()[chunk];
        total_length += parts[part]->lengths()[chunk];
      }
    }
  }

  const LexicalHeader header{kLexicalMagic, kLexicalVersion, chunks, terms, postings, total_length};
  const LexicalLayout at(header);
  sink.start(at.size);
  sink.write(0, std::as_bytes(std::span(&header, 1)));
  sink.write(at.lengths, std::as_bytes(std::span(lengths)));
  SectionWriter<Term> term_rows(sink, at.terms, terms);
  SectionWriter<std::uint64_t> offsets(sink, at.offsets, terms + 1);
  SectionWriter<std::uint32_t> chunk_rows(sink, at.postings, postings);
  SectionWriter<std::uint16_t> counts(sink, at.counts, postings);
  std::uint64_t end = 0;
  offsets.push(end);
  all.for_each_term([&](Term term, std::span<Posting> found) {
    if (!std::is_sorted(found.begin(), found.end())) {
      std::sort(found.begin(), found.end());
    }
    term_rows.push(term);
    for (const Posting& posting : found) {
      chunk_rows.push(posting.chunk);
      counts.push(posting.count);
    }
    offsets.push(end += found.size());
  });
  term_rows.finish();
  offsets.finish();
  chunk_rows.finish();
  counts.finish();
}

Image merge_lexical(std::span<const LexicalIndex* const> parts, std::span<const Renumbering> maps) {
  ImageSink sink;
  merge_lexical(parts, maps, sink);
  return sink.take();
}

}  // namespace bridge

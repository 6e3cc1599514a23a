#include "bridge/lexical.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <numeric>
#include <string>
#include <utility>

#include "lexical_payload.h"

namespace bridge {
namespace {

constexpr std::uint16_t kMaxCount = std::numeric_limits<std::uint16_t>::max();

// Numbers the distinct terms in the order they come, by open addressing.
class TermNumbers {
 public:
  std::uint32_t operator()(Term term) {
    if ((terms_.size() + 1) * 2 > slots_.size()) {
      grow();
    }
    std::uint32_t& slot = find(term);
    if (slot == kEmpty) {
      slot = static_cast<std::uint32_t>(terms_.size());
      terms_.push_back(term);
    }
    return slot;
  }
  const std::vector<Term>& terms() const { return terms_; }

 private:
  static constexpr std::uint32_t kEmpty = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t& find(Term term) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = mix(term) & mask;
    while (slots_[at] != kEmpty && terms_[slots_[at]] != term) {
      at = (at + 1) & mask;
    }
    return slots_[at];
  }
  void grow() {
    slots_.assign(std::max<std::size_t>(64, slots_.size() * 2), kEmpty);
    for (std::size_t n = 0; n < terms_.size(); ++n) {
      find(terms_[n]) = static_cast<std::uint32_t>(n);
    }
  }

  std::vector<Term> terms_;
  std::vector<std::uint32_t> slots_;
};

struct Posting {
  std::uint32_t term, chunk, count;
};

}  // namespace

Image build_lexical(std::span<const Term> terms, std::span<const std::uint32_t> where,
                    std::uint32_t chunks) {
  constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  TermNumbers number;
  std::vector<std::size_t> latest;  // of each term, its last posting so far
  std::vector<std::size_t> df;
  std::vector<Posting> postings;  // as they come: ascending by chunk
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const std::uint32_t t = number(terms[i]);
    if (t == latest.size()) {
      latest.push_back(kNone);
      df.push_back(0);
    }
    if (latest[t] != kNone && postings[latest[t]].chunk == where[i]) {
      ++postings[latest[t]].count;
    } else {
      latest[t] = postings.size();
      postings.push_back({t, where[i], 1});
      ++df[t];
    }
  }

  const std::vector<Term>& distinct = number.terms();
  std::vector<std::uint32_t> order(distinct.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return distinct[a] < distinct[b]; });

  LexicalDraft draft(chunks, distinct.size(), postings.size(), terms.size());
  for (const std::uint32_t chunk : where) {
    ++draft.lengths[chunk];
  }
  std::vector<std::size_t> next(distinct.size());  // where the next posting of a term goes
  std::size_t end = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    draft.terms[rank] = distinct[order[rank]];
    draft.offsets[rank] = end;
    next[order[rank]] = end;
    end += df[order[rank]];
  }
  draft.offsets[distinct.size()] = end;
  for (const Posting& posting : postings) {
    const std::size_t at = next[posting.term]++;
    draft.postings[at] = posting.chunk;
    draft.counts[at] =
        static_cast<std::uint16_t>(std::min<std::uint32_t>(posting.count, kMaxCount));
  }
  return std::move(draft.image);
}

LexicalIndex::LexicalIndex(std::span<const std::byte> payload) {
  const auto header =
      read_header<LexicalHeader>(payload, "lexical index", kLexicalMagic, kLexicalVersion);
  // Neither count can be larger than the payload; checked first, so that no sum overflows.
  if (header.terms > payload.size() || header.postings > payload.size()) {
    throw DamagedPayload("lexical index payload is too small for the counts in its header");
  }
  const LexicalLayout layout(header);
  expect_size(payload, "lexical index", layout.size);
  terms_ = section<Term>(payload, layout.terms, header.terms);
  offsets_ = section<std::uint64_t>(payload, layout.offsets, header.terms + 1);
  lengths_ = section<std::uint32_t>(payload, layout.lengths, header.chunks);
  postings_ = section<std::uint32_t>(payload, layout.postings, header.postings);
  counts_ = section<std::uint16_t>(payload, layout.counts, header.postings);
  total_length_ = header.total_length;
}

LexicalEntries LexicalIndex::entries() const {
  const auto expect = [](bool sound, const char* problem) {
    if (!sound) {
      throw DamagedPayload(std::string("lexical index: ") + problem);
    }
  };
  expect(offsets_.front() == 0 && offsets_.back() == postings_.size(),
         "its terms do not share out its postings");
  std::uint64_t counted = 0;
  bool more = false;  // than was counted
  for (std::size_t t = 0; t < terms_.size(); ++t) {
    const std::uint64_t first = offsets_[t], last = offsets_[t + 1];
    expect(t == 0 || terms_[t - 1] < terms_[t], "its terms do not ascend");
    expect(first < last && last <= postings_.size(), "a term has no postings");
    for (std::size_t i = first; i < last; ++i) {
      expect(i == first || postings_[i - 1] < postings_[i], "the chunks of a term do not ascend");
      expect(counts_[i] > 0, "a term stands no times in a chunk");
      counted += counts_[i];
      more |= counts_[i] == kMaxCount;
    }
    expect(postings_[last - 1] < chunks(), "a term stands in a chunk that is not there");
  }
  const std::uint64_t total = std::accumulate(lengths_.begin(), lengths_.end(), std::uint64_t{0});
  expect(total == total_length_, "its lengths do not add up to their total");
  expect(counted == total || (more && counted < total), "its counts do not add up to its lengths");
  return {terms_, offsets_, postings_, counts_};
}

LexicalIndex::Range LexicalIndex::range(Term term) const {
  const auto found = std::lower_bound(terms_.begin(), terms_.end(), term);
  if (found == terms_.end() || *found != term) {
    return {0, 0};
  }
  const auto t = static_cast<std::size_t>(found - terms_.begin());
  const std::size_t last = std::min<std::size_t>(offsets_[t + 1], postings_.size());
  return {std::min<std::size_t>(offsets_[t], last), last};
}

std::uint32_t LexicalIndex::df(Term term, Alive alive) const {
  const auto [first, last] = range(term);
  const auto chunks = postings_.subspan(first, last - first);
  if (alive.empty()) {
    return static_cast<std::uint32_t>(chunks.size());
  }
  return static_cast<std::uint32_t>(std::count_if(
      chunks.begin(), chunks.end(),
      [alive](std::uint32_t chunk) { return chunk < alive.size() && alive[chunk] != 0; }));
}

ScoredChunks LexicalIndex::score(const Bm25& query, Alive alive) const {
  ScoredChunks found;
  // Zero pages come from the system untouched, so only chunks that score cost anything.
  struct Free {
    void operator()(float* p) const { std::free(p); }
  };
  const std::unique_ptr<float, Free> sums(
      static_cast<float*>(std::calloc(std::max<std::size_t>(chunks(), 1), sizeof(float))));
  if (!sums) {
    throw std::bad_alloc();
  }
  float* const sum = sums.get();
  const float per_length = query.average_length > 0 ? query.b / query.average_length : 0;
  for (std::size_t t = 0; t < query.terms.size(); ++t) {
    if (!(query.idf[t] > 0)) {
      continue;
    }
    const float weight = query.idf[t] * (query.k1 + 1);
    const auto [first, last] = range(query.terms[t]);
    for (std::size_t i = first; i < last; ++i) {
      const std::uint32_t chunk = postings_[i];
      if (chunk >= chunks() || (!alive.empty() && alive[chunk] == 0)) {
        continue;
      }
      const float length = static_cast<float>(lengths_[chunk]);
      const float tf = static_cast<float>(counts_[i]);
      const float gain = weight * tf / (tf + query.k1 * (1 - query.b + length * per_length));
      if (!(gain > 0)) {
        continue;  // a vanishing weight; a sum of 0 means "not found yet" below
      }
      if (sum[chunk] == 0) {
        found.chunks.push_back(chunk);
      }
      sum[chunk] += gain;
    }
  }
  std::sort(found.chunks.begin(), found.chunks.end());
  found.scores.reserve(found.chunks.size());
  for (const std::uint32_t chunk : found.chunks) {
    found.scores.push_back(sum[chunk]);
  }
  return found;
}

ScoredChunks LexicalIndex::top(const Bm25& query, std::size_t k, Alive alive) const {
  const ScoredChunks all = score(query, alive);
  std::vector<std::uint32_t> order(all.chunks.size());
  std::iota(order.begin(), order.end(), 0U);
  const std::size_t kept = std::min(k, order.size());
  const auto better = [&](std::uint32_t x, std::uint32_t y) {
    return all.scores[x] != all.scores[y] ? all.scores[x] > all.scores[y] : x < y;
  };
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept), order.end(),
                    better);
  ScoredChunks best;
  for (std::size_t i = 0; i < kept; ++i) {
    best.chunks.push_back(all.chunks[order[i]]);
    best.scores.push_back(all.scores[order[i]]);
  }
  return best;
}

}  // namespace bridge

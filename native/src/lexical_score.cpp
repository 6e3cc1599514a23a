#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "bridge/lexical.h"

namespace bridge {
namespace {

// What a chunk gains by holding a term of a query.
class Gain {
 public:
  Gain(const Bm25& query, float idf)
      : weight_(idf * (query.k1 + 1)),
        k1_(query.k1),
        b_(query.b),
        per_length_(query.average_length > 0 ? query.b / query.average_length : 0) {}

  float operator()(std::uint16_t count, std::uint32_t length) const {
    const float tf = static_cast<float>(count);
    return weight_ * tf / (tf + k1_ * (1 - b_ + static_cast<float>(length) * per_length_));
  }

 private:
  float weight_, k1_, b_, per_length_;
};

// The first place from `at` on where ascending numbers reach `number`: in steps that double, then
// by halves, so that a near one is found soon.
const std::uint32_t* gallop(const std::uint32_t* at, const std::uint32_t* end,
                            std::uint32_t number) {
  std::ptrdiff_t step = 1;
  while (step < end - at && at[step] < number) {
    at += step;
    step *= 2;
  }
  return std::lower_bound(at, at + std::min(step + 1, end - at), number);
}

}  // namespace

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
  const std::vector<ScoredChunk> found = find(query, alive);
  ScoredChunks all;
  all.chunks.reserve(found.size());
  all.scores.reserve(found.size());
  for (const ScoredChunk& one : found) {
    all.chunks.push_back(one.chunk);
    all.scores.push_back(one.score);
  }
  return all;
}

ScoredChunks LexicalIndex::top(const Bm25& query, std::size_t k, Alive alive) const {
  return best_of(find(query, alive), k);
}

ScoredChunks LexicalIndex::best_of(std::vector<ScoredChunk> found, std::size_t k) {
  const auto kept = static_cast<std::ptrdiff_t>(std::min(k, found.size()));
  std::partial_sort(found.begin(), found.begin() + kept, found.end(),
                    [](const ScoredChunk& x, const ScoredChunk& y) {
                      return x.score != y.score ? x.score > y.score : x.chunk < y.chunk;
                    });
  ScoredChunks best;
  for (const ScoredChunk& one : std::span(found).first(static_cast<std::size_t>(kept))) {
    best.chunks.push_back(one.chunk);
    best.scores.push_back(one.score);
  }
  return best;
}

std::vector<float> LexicalIndex::score_of(const Bm25& query,
                                          std::span<const std::uint32_t> chunks) const {
  std::vector<float> scores(chunks.size());
  for (std::size_t t = 0; t < query.terms.size(); ++t) {
    if (!(query.idf[t] > 0)) {
      continue;
    }
    const Gain gain_of(query, query.idf[t]);
    const auto [first, last] = range(query.terms[t]);
    const std::uint32_t* const end = postings_.data() + last;
    const std::uint32_t* at = postings_.data() + first;
    for (std::size_t c = 0; c < chunks.size() && at != end; ++c) {
      at = gallop(at, end, chunks[c]);
      if (at != end && *at == chunks[c]) {
        scores[c] +=
            gain_of(counts_[static_cast<std::size_t>(at - postings_.data())], lengths_[chunks[c]]);
      }
    }
  }
  return scores;
}

auto LexicalIndex::find(const Bm25& query, Alive alive) const -> std::vector<ScoredChunk> {
  std::size_t postings = 0;
  for (const Term term : query.terms) {
    const auto [first, last] = range(term);
    postings += last - first;
  }
  // Merging looks at a posting once a term at worst; a sum a chunk lies, for few postings, each on
  // a fresh page of memory.
  const bool few = postings * query.terms.size() < chunks();
  return few ? find_few(query, alive) : find_many(query, alive);
}

template <typename Visit>
void LexicalIndex::for_each_gain(const Bm25& query, std::size_t t, Alive alive, Visit visit) const {
  if (!(query.idf[t] > 0)) {
    return;
  }
  const Gain gain_of(query, query.idf[t]);
  const auto [first, last] = range(query.terms[t]);
  for (std::size_t i = first; i < last; ++i) {
    const std::uint32_t chunk = postings_[i];
    if (chunk >= chunks() || (!alive.empty() && alive[chunk] == 0)) {
      continue;
    }
    const float gain = gain_of(counts_[i], lengths_[chunk]);
    if (gain > 0) {  // a vanishing weight brings nothing
      visit(chunk, gain);
    }
  }
}

auto LexicalIndex::find_few(const Bm25& query, Alive alive) const -> std::vector<ScoredChunk> {
  std::vector<ScoredChunk> found, merged;
  for (std::size_t t = 0; t < query.terms.size(); ++t) {
    merged.clear();
    auto before = found.begin();
    for_each_gain(query, t, alive, [&](std::uint32_t chunk, float gain) {
      while (before != found.end() && before->chunk < chunk) {
        merged.push_back(*before++);
      }
      const bool known = before != found.end() && before->chunk == chunk;
      merged.push_back({chunk, known ? before++->score + gain : gain});
    });
    merged.insert(merged.end(), before, found.end());
    found.swap(merged);
  }
  return found;
}

auto LexicalIndex::find_many(const Bm25& query, Alive alive) const -> std::vector<ScoredChunk> {
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
  std::vector<std::uint32_t> held;
  for (std::size_t t = 0; t < query.terms.size(); ++t) {
    for_each_gain(query, t, alive, [&](std::uint32_t chunk, float gain) {
      if (sum[chunk] == 0) {
        held.push_back(chunk);
      }
      sum[chunk] += gain;
    });
  }
  std::sort(held.begin(), held.end());
  std::vector<ScoredChunk> found;
  found.reserve(held.size());
  for (const std::uint32_t chunk : held) {
    found.push_back({chunk, sum[chunk]});
  }
  return found;
}

}  // namespace bridge

// Opens any bytes as a lexical index and asks it everything.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "bridge/lexical.h"
#include "fuzz.h"

using namespace bridge;

namespace {

void expect_sound(const LexicalIndex& index, const ScoredChunks& found, Alive alive) {
  for (std::size_t i = 0; i < found.chunks.size(); ++i) {
    const std::uint32_t chunk = found.chunks[i];
    if (chunk >= index.chunks() || std::isnan(found.scores[i]) ||
        (!alive.empty() && alive[chunk] == 0)) {
      __builtin_trap();
    }
  }
}

void score_all(const LexicalIndex& index, const Bm25& query) {
  std::vector<std::uint32_t> chunks(index.chunks());
  std::iota(chunks.begin(), chunks.end(), 0U);
  const std::vector<float> scores = index.score_of(query, chunks);
  if (scores.size() != chunks.size() ||
      std::any_of(scores.begin(), scores.end(), [](float score) { return std::isnan(score); })) {
    __builtin_trap();
  }
}

void merge(const LexicalIndex& index) {
  const auto map = fuzz::renumbering(index.chunks(), 0);
  const auto kept = static_cast<std::uint32_t>(map.size() - map.size() / 3);
  const auto other = fuzz::renumbering(index.chunks(), kept);
  const LexicalIndex* parts[] = {&index, &index};
  const Renumbering maps[] = {map, other};
  const Image merged = merge_lexical(parts, maps);
  LexicalIndex(merged.bytes()).entries();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::byte> payload = fuzz::copy(data, size);
  try {
    const LexicalIndex index(payload);
    const auto terms = fuzz::numbers<Term>(payload, 40);
    const std::vector<float> idf(terms.size(), 1.5F);
    std::vector<std::uint8_t> alive(index.chunks());
    for (std::size_t chunk = 0; chunk < alive.size(); ++chunk) {
      alive[chunk] = chunk % 3 != 0;
    }
    const Bm25 query{terms, idf, 10.0F, 1.2F, 0.75F};
    for (const Alive there : {Alive{}, Alive(alive)}) {
      for (const Term term : terms) {
        index.df(term, there);
      }
      expect_sound(index, index.score(query, there), there);
      expect_sound(index, index.top(query, 5, there), there);
    }
    score_all(index, query);
    index.entries();
    merge(index);
  } catch (const DamagedPayload&) {
  }
  return 0;
}

#include <vector>

#include "bridge/lexical.h"
#include "count.h"
#include "random.h"

using namespace bridge;

namespace {

constexpr std::uint32_t kChunks = 4'000, kTerms = 5'000;

// A term by a frequency that falls with its number.
Term a_term(Random& random) {
  return mix(1 + random.below(1 + random.below(1 + random.below(kTerms))));
}

}  // namespace

void count_lexical() {
  Random random(4);
  std::vector<Term> terms;
  std::vector<std::uint32_t> where;
  for (std::uint32_t chunk = 0; chunk < kChunks; ++chunk) {
    for (std::uint32_t i = 0, n = 20 + random.below(40); i < n; ++i) {
      terms.push_back(a_term(random));
      where.push_back(chunk);
    }
  }
  Image image(0);
  count("bm25_build", [&] {
    image = build_lexical(terms, where, kChunks);
    return image.bytes().size();
  });

  const LexicalIndex index(image.bytes());
  std::vector<std::vector<Term>> frequent(20), rare(200);
  for (std::vector<Term>& question : frequent) {
    for (int i = 0; i < 8; ++i) {
      question.push_back(a_term(random));
    }
  }
  for (std::vector<Term>& question : rare) {
    for (int i = 0; i < 3; ++i) {
      question.push_back(mix(kTerms - random.below(kTerms / 4)));
    }
  }
  const auto found = [&](const std::vector<std::vector<Term>>& questions) {
    std::size_t chunks = 0;
    for (const std::vector<Term>& question : questions) {
      const std::vector<float> idf(question.size(), 1.5F);
      chunks += index.top({question, idf, 40.0F, 1.2F, 0.75F}, 10).chunks.size();
    }
    return chunks;
  };
  count("bm25_top", [&] { return found(frequent); });
  count("bm25_top_rare", [&] { return found(rare); });
}

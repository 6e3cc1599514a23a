#include "bridge/lexical.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "random.h"

using namespace bridge;

namespace {

struct Occurrences {
  std::vector<Term> terms;
  std::vector<std::uint32_t> chunks;
};

constexpr std::uint32_t kChunks = 50;

Occurrences random_occurrences(Random& random) {
  Occurrences all;
  for (std::uint32_t chunk = 0; chunk < kChunks; ++chunk)
    for (std::uint32_t i = 0, n = random.below(20); i < n; ++i) {
      all.terms.push_back(mix(random.below(30)));
      all.chunks.push_back(chunk);
    }
  return all;
}

struct Query {
  std::vector<Term> terms{mix(1), mix(2), mix(3), 12345};
  std::vector<float> idf{1.0F, 0.5F, 2.0F, 9.0F};
  Bm25 bm25() const { return {terms, idf, 10.0F, 1.2F, 0.75F}; }
};

}  // namespace

TEST_CASE("an index counts what it was built from") {
  Random random(1);
  const Occurrences all = random_occurrences(random);
  const Image image = build_lexical(all.terms, all.chunks, kChunks);
  const LexicalIndex index(image.bytes());
  std::map<Term, std::map<std::uint32_t, int>> truth;
  for (std::size_t i = 0; i < all.terms.size(); ++i) ++truth[all.terms[i]][all.chunks[i]];
  CHECK(index.terms() == truth.size());
  CHECK(index.total_length() == all.terms.size());
  for (const auto& [term, where] : truth) CHECK(index.df(term) == where.size());
  CHECK(index.df(99) == 0);
}

TEST_CASE("an index of nothing answers with nothing") {
  for (const std::uint32_t chunks : {0U, 3U}) {
    const Image image = build_lexical({}, {}, chunks);
    const LexicalIndex index(image.bytes());
    CHECK(index.chunks() == chunks);
    CHECK(index.score(Query().bm25()).chunks.empty());
    CHECK(index.top(Query().bm25(), 5).chunks.empty());
  }
}

TEST_CASE("the top is the head of all scores in order") {
  Random random(2);
  const Occurrences all = random_occurrences(random);
  const Image image = build_lexical(all.terms, all.chunks, kChunks);
  const LexicalIndex index(image.bytes());
  const Query query;
  const ScoredChunks scored = index.score(query.bm25());
  std::vector<std::pair<float, std::uint32_t>> order;
  for (std::size_t i = 0; i < scored.chunks.size(); ++i)
    order.emplace_back(-scored.scores[i], scored.chunks[i]);
  std::sort(order.begin(), order.end());
  for (const std::size_t k : {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{1000}}) {
    const ScoredChunks best = index.top(query.bm25(), k);
    REQUIRE(best.chunks.size() == std::min(k, order.size()));
    for (std::size_t i = 0; i < best.chunks.size(); ++i) {
      CHECK(best.chunks[i] == order[i].second);
      CHECK(best.scores[i] == -order[i].first);
    }
  }
}

TEST_CASE("an altered payload is refused or stays within its borders") {
  Random random(3);
  const Occurrences all = random_occurrences(random);
  for (int round = 0; round < 3000; ++round) {
    Image image = build_lexical(all.terms, all.chunks, kChunks);
    const auto bytes = image.bytes();
    for (int i = 0; i < 3; ++i) {
      const bool in_header = random.below(2) == 0;
      bytes[random.below(in_header ? sizeof(LexicalHeader) : bytes.size())] =
          static_cast<std::byte>(random.below(256));
    }
    try {
      const LexicalIndex index(bytes);
      for (const std::uint32_t chunk : index.score(Query().bm25()).chunks)
        CHECK(chunk < index.chunks());
      index.df(mix(1));
    } catch (const DamagedPayload&) {
    }
  }
}

TEST_CASE("a payload that is cut short or padded is refused") {
  const Image image = build_lexical(std::vector<Term>{1, 2}, std::vector<std::uint32_t>{0, 1}, 2);
  std::vector<std::uint64_t> copy(image.bytes().size() / 8 + 1);
  std::memcpy(copy.data(), image.bytes().data(), image.bytes().size());
  const auto all = std::as_bytes(std::span(copy));
  for (const std::size_t size : {std::size_t{0}, std::size_t{8}, image.bytes().size() - 8, all.size()})
    CHECK_THROWS_AS(LexicalIndex(all.first(size)), DamagedPayload);
  CHECK_NOTHROW(LexicalIndex(all.first(image.bytes().size())));
}

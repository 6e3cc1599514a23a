#include "bridge/lexical.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <utility>
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
  for (std::uint32_t chunk = 0; chunk < kChunks; ++chunk) {
    for (std::uint32_t i = 0, n = random.below(20); i < n; ++i) {
      all.terms.push_back(mix(random.below(30)));
      all.chunks.push_back(chunk);
    }
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
  for (std::size_t i = 0; i < all.terms.size(); ++i) {
    ++truth[all.terms[i]][all.chunks[i]];
  }
  CHECK(index.terms() == truth.size());
  CHECK(index.total_length() == all.terms.size());
  for (const auto& [term, where] : truth) {
    CHECK(index.df(term) == where.size());
  }
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
  for (std::size_t i = 0; i < scored.chunks.size(); ++i) {
    order.emplace_back(-scored.scores[i], scored.chunks[i]);
  }
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

TEST_CASE("few postings among many chunks are scored as many among few") {
  constexpr std::uint32_t kFar = 100;  // chunks from one that holds something to the next
  Random random(7);
  for (int round = 0; round < 100; ++round) {
    const Occurrences all = random_occurrences(random);
    Occurrences apart = all;
    for (std::uint32_t& chunk : apart.chunks) {
      chunk *= kFar;
    }
    std::vector<std::uint8_t> alive(kChunks), alive_apart(kChunks * kFar);
    for (std::uint32_t chunk = 0; chunk < kChunks; ++chunk) {
      alive[chunk] = static_cast<std::uint8_t>(random.below(4));
      alive_apart[chunk * kFar] = alive[chunk];
    }
    const Image close = build_lexical(all.terms, all.chunks, kChunks);
    const Image far = build_lexical(apart.terms, apart.chunks, kChunks * kFar);
    Query query;
    for (Term& term : query.terms) {
      term = mix(random.below(33));
    }
    ScoredChunks expected = LexicalIndex(close.bytes()).score(query.bm25(), alive);
    for (std::uint32_t& chunk : expected.chunks) {
      chunk *= kFar;
    }
    const ScoredChunks found = LexicalIndex(far.bytes()).score(query.bm25(), alive_apart);
    CHECK(found.chunks == expected.chunks);
    CHECK(found.scores == expected.scores);
  }
}

TEST_CASE("the scores of some chunks are those among all scores") {
  Random random(8);
  const Occurrences all = random_occurrences(random);
  const Image image = build_lexical(all.terms, all.chunks, kChunks);
  const LexicalIndex index(image.bytes());
  std::vector<float> every(kChunks);
  const ScoredChunks scored = index.score(Query().bm25());
  for (std::size_t i = 0; i < scored.chunks.size(); ++i) {
    every[scored.chunks[i]] = scored.scores[i];
  }
  std::vector<std::uint32_t> some;
  std::vector<float> expected;
  for (std::uint32_t chunk = 0; chunk < kChunks; ++chunk) {
    if (random.below(2) == 0) {
      some.push_back(chunk);
      expected.push_back(every[chunk]);
    }
  }
  CHECK(index.score_of(Query().bm25(), some) == expected);
  CHECK(index.score_of(Query().bm25(), {}).empty());
}

TEST_CASE("chunks that are not alive are left out of counts and scores") {
  Random random(4);
  const Occurrences all = random_occurrences(random);
  const Image image = build_lexical(all.terms, all.chunks, kChunks);
  const LexicalIndex index(image.bytes());
  std::vector<std::uint8_t> alive(kChunks);
  for (std::uint8_t& byte : alive) {
    byte = static_cast<std::uint8_t>(random.below(3));
  }
  std::set<std::uint32_t> holders;
  for (std::size_t i = 0; i < all.terms.size(); ++i) {
    if (all.terms[i] == mix(1) && alive[all.chunks[i]] != 0) {
      holders.insert(all.chunks[i]);
    }
  }
  CHECK(index.df(mix(1), alive) == holders.size());
  std::size_t living = 0;
  const ScoredChunks scored = index.score(Query().bm25());
  for (const std::uint32_t chunk : scored.chunks) {
    living += alive[chunk] != 0;
  }
  const ScoredChunks found = index.score(Query().bm25(), alive);
  CHECK(found.chunks.size() == living);
  CHECK(index.top(Query().bm25(), kChunks, alive).chunks.size() == living);
  for (const std::uint32_t chunk : found.chunks) {
    CHECK(alive[chunk] != 0);
  }
  const std::vector<std::uint8_t> none(kChunks);
  CHECK(index.df(mix(1), none) == 0);
  CHECK(index.score(Query().bm25(), none).chunks.empty());
}

TEST_CASE("parts that are merged under any new numbers are what is built of all they keep") {
  Random random(5);
  for (int round = 0; round < 200; ++round) {
    const std::size_t n_parts = random.below(4);
    std::vector<std::vector<std::uint32_t>> maps(n_parts, std::vector<std::uint32_t>(kChunks));
    std::vector<std::uint32_t*> kept;
    for (auto& map : maps) {
      for (std::uint32_t& number : map) {
        number = kDropped;
        if (random.below(3) > 0) {
          kept.push_back(&number);
        }
      }
    }
    for (std::uint32_t n = 0; n < kept.size(); ++n) {
      std::swap(kept[n], kept[n + random.below(kept.size() - n)]);
      *kept[n] = n;
    }
    std::vector<Image> images;
    std::vector<LexicalIndex> indexes;
    std::vector<std::pair<std::uint32_t, Term>> left;
    for (const auto& map : maps) {
      const Occurrences all = random_occurrences(random);
      images.push_back(build_lexical(all.terms, all.chunks, kChunks));
      for (std::size_t i = 0; i < all.terms.size(); ++i) {
        if (map[all.chunks[i]] != kDropped) {
          left.emplace_back(map[all.chunks[i]], all.terms[i]);
        }
      }
    }
    for (const Image& image : images) {
      indexes.emplace_back(image.bytes());
    }
    std::vector<const LexicalIndex*> parts;
    for (const LexicalIndex& index : indexes) {
      parts.push_back(&index);
    }
    std::sort(left.begin(), left.end());
    Occurrences rest;
    for (const auto& [chunk, term] : left) {
      rest.chunks.push_back(chunk);
      rest.terms.push_back(term);
    }
    const Image merged = merge_lexical(parts, std::vector<Renumbering>(maps.begin(), maps.end()));
    const Image built =
        build_lexical(rest.terms, rest.chunks, static_cast<std::uint32_t>(kept.size()));
    CHECK(std::ranges::equal(merged.bytes(), built.bytes()));
  }
}

TEST_CASE("an altered payload gives its entries whole or not at all") {
  Random random(6);
  const Occurrences all = random_occurrences(random);
  const Image whole = build_lexical(all.terms, all.chunks, kChunks);
  CHECK(LexicalIndex(whole.bytes()).entries().chunks.size() ==
        LexicalIndex(whole.bytes()).postings());
  for (int round = 0; round < 2000; ++round) {
    Image image(whole.bytes().size());
    const auto bytes = image.bytes();
    std::ranges::copy(whole.bytes(), bytes.begin());
    bytes[40 + random.below(bytes.size() - 40)] ^= static_cast<std::byte>(1U << random.below(8));
    const LexicalIndex index(bytes);
    try {
      const LexicalEntries entries = index.entries();
      CHECK(std::adjacent_find(entries.terms.begin(), entries.terms.end(),
                               std::greater_equal<>()) == entries.terms.end());
      for (const std::uint32_t chunk : entries.chunks) {
        CHECK(chunk < kChunks);
      }
    } catch (const DamagedPayload&) {
      std::vector<std::uint32_t> map(kChunks);
      std::iota(map.begin(), map.end(), 0U);
      CHECK_THROWS_AS(
          merge_lexical(std::vector<const LexicalIndex*>{&index}, std::vector<Renumbering>{map}),
          DamagedPayload);
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
      bytes[random.below(in_header ? std::size_t{40} : bytes.size())] =
          static_cast<std::byte>(random.below(256));
    }
    try {
      const LexicalIndex index(bytes);
      for (const std::uint32_t chunk : index.score(Query().bm25()).chunks) {
        CHECK(chunk < index.chunks());
      }
      index.df(mix(1));
      std::vector<std::uint32_t> every(index.chunks());
      std::iota(every.begin(), every.end(), 0U);
      index.score_of(Query().bm25(), every);
    } catch (const DamagedPayload&) {
    }
  }
}

TEST_CASE("a payload that is cut short or padded is refused") {
  const Image image = build_lexical(std::vector<Term>{1, 2}, std::vector<std::uint32_t>{0, 1}, 2);
  std::vector<std::uint64_t> copy(image.bytes().size() / 8 + 1);
  std::memcpy(copy.data(), image.bytes().data(), image.bytes().size());
  const auto all = std::as_bytes(std::span(copy));
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{8}, image.bytes().size() - 8, all.size()}) {
    CHECK_THROWS_AS(LexicalIndex(all.first(size)), DamagedPayload);
  }
  CHECK_NOTHROW(LexicalIndex(all.first(image.bytes().size())));
}

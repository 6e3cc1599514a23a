#include "bridge/phrases.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "random.h"

using namespace bridge;

namespace {

// A document of one-sentence chunks, and what `phrases` makes of it.
struct Text {
  std::vector<Key> keys;
  std::vector<std::uint8_t> flags;
  std::vector<std::uint32_t> sentences{0}, chunks{0};

  Text& word(Key key, unsigned bits) {
    keys.push_back(key);
    flags.push_back(static_cast<std::uint8_t>(bits));
    return *this;
  }
  Text& end() {
    sentences.push_back(static_cast<std::uint32_t>(keys.size()));
    chunks.push_back(static_cast<std::uint32_t>(sentences.size() - 1));
    return *this;
  }
  WordStream stream() const { return {keys, flags, sentences, chunks}; }
  std::vector<std::pair<Key, std::uint32_t>> pairs(const Known& known = {}) const {
    const Mentions found = phrases(stream(), known);
    std::vector<std::pair<Key, std::uint32_t>> all;
    for (std::size_t i = 0; i < found.entities.size(); ++i)
      all.emplace_back(found.entities[i], found.chunks[i]);
    return all;
  }
  bool mentions(std::vector<Key> words, std::uint32_t chunk) const {
    const auto all = pairs();
    return std::find(all.begin(), all.end(), std::pair{entity_key(words), chunk}) != all.end();
  }
};

Text random_text(Random& random) {
  Text text;
  for (std::uint32_t chunk = 0, n = random.below(40); chunk < n; ++chunk) {
    for (std::uint32_t word = 0, m = random.below(12); word < m; ++word)
      text.word(random.below(6), random.below(256));
    text.end();
  }
  return text;
}

}  // namespace

TEST_CASE("an empty document mentions nothing") {
  CHECK(Text().pairs().empty());
  CHECK(Text().end().pairs().empty());
}

TEST_CASE("a name is kept with the endings that could stand for it") {
  Text text;
  text.word(9, kStop).word(1, kCapital).word(2, kStop | kConnector).word(3, kCapital).end();
  CHECK(text.mentions({1, 2, 3}, 0));
  CHECK(text.mentions({3}, 0));
  CHECK_FALSE(text.mentions({2}, 0));
  CHECK_FALSE(text.mentions({2, 3}, 0));
}

TEST_CASE("a name does not reach over a break") {
  Text text;
  text.word(9, kStop).word(1, kCapital).word(0, kBreak).word(3, kCapital).end();
  CHECK_FALSE(text.mentions({1, 3}, 0));
  CHECK(text.mentions({1}, 0));
}

TEST_CASE("a piece is kept once it stands in two different runs") {
  Text once;
  once.word(1, 0).word(2, 0).word(3, 0).word(4, 0).end();
  CHECK_FALSE(once.mentions({2, 3}, 0));
  Text twice = once;
  twice.word(2, 0).word(3, 0).word(5, 0).word(6, 0).end();
  CHECK(twice.mentions({2, 3}, 0));
  CHECK(twice.mentions({2, 3}, 1));
}

TEST_CASE("what is known is kept, and aliases share their chunks") {
  Text text;
  text.word(1, kStop).end().word(9, kStop).word(7, kCapital).end();
  const Key seven = entity_key(std::vector<Key>{7});
  const std::vector<Key> known{42}, aliases{seven, 42};
  const std::vector<std::uint32_t> chunks{0};
  const auto pairs = text.pairs({known, chunks, aliases});
  const std::set<std::pair<Key, std::uint32_t>> expected{{42, 0}, {42, 1}, {seven, 0}, {seven, 1}};
  CHECK(std::set(pairs.begin(), pairs.end()) == expected);
  CHECK(pairs.size() == expected.size());
}

TEST_CASE("pairs of any words ascend, come once, and name chunks of the document") {
  Random random(7);
  for (int round = 0; round < 300; ++round) {
    const Text text = random_text(random);
    REQUIRE(well_formed(text.stream()));
    const auto pairs = text.pairs();
    CHECK(std::adjacent_find(pairs.begin(), pairs.end(), std::greater_equal<>()) == pairs.end());
    for (const auto& pair : pairs) CHECK(pair.second + 1 < text.chunks.size());
  }
}

TEST_CASE("borders that do not fit are told") {
  Text text;
  text.word(1, 0).word(2, 0).end();
  CHECK(well_formed(text.stream()));
  for (auto change : {+[](Text& t) { t.flags.pop_back(); }, +[](Text& t) { t.sentences.back() = 3; },
                      +[](Text& t) { t.sentences.clear(); }, +[](Text& t) { t.chunks.clear(); },
                      +[](Text& t) { t.chunks = {0, 2, 1}; }, +[](Text& t) { t.chunks = {1}; }}) {
    Text broken = text;
    change(broken);
    CHECK_FALSE(well_formed(broken.stream()));
  }
}

TEST_CASE("the keys of n-grams are those of their words") {
  const std::vector<Key> words{5, 6, 7};
  std::vector<Key> grams(3 * 2);
  ngram_keys(words, 2, grams);
  const auto key = [&](std::size_t first, std::size_t n) {
    return entity_key(std::span(words).subspan(first, n));
  };
  CHECK(grams == std::vector<Key>{key(0, 1), key(0, 2), key(1, 1), key(1, 2), key(2, 1), 0});
}

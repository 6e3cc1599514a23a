#include "bridge/summary.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>

#include "random.h"

using namespace bridge;

namespace {

struct Document {
  std::vector<double> scores;
  std::vector<std::uint32_t> sizes, offsets{0}, words;
  std::vector<std::uint8_t> is_leaf;
  std::vector<std::uint32_t> first, count, room;

  Document& sentence(double score, std::vector<std::uint32_t> said) {
    scores.push_back(score);
    sizes.push_back(static_cast<std::uint32_t>(said.size()));
    words.insert(words.end(), said.begin(), said.end());
    offsets.push_back(static_cast<std::uint32_t>(words.size()));
    return *this;
  }
  Document& abstract(bool leaf, std::uint32_t from, std::uint32_t many, std::uint32_t space) {
    is_leaf.push_back(leaf);
    first.push_back(from);
    count.push_back(many);
    room.push_back(space);
    return *this;
  }
  ScoredSentences sentences() const { return {scores, sizes, offsets, words}; }
  SummaryTree tree() const { return {is_leaf, first, count, room}; }
  Picked picked() const {
    REQUIRE(check(sentences(), tree()) == nullptr);
    return pick(sentences(), tree());
  }
};

}  // namespace

TEST_CASE("an abstract picks what says something new, and its parent picks among that") {
  Document document;
  document.sentence(1.0, {1, 2}).sentence(0.9, {2, 1}).sentence(0.8, {3, 4}).sentence(2.0, {5});
  document.abstract(true, 0, 3, 4).abstract(true, 3, 1, 4).abstract(false, 0, 2, 2);
  const Picked picked = document.picked();
  CHECK(picked.borders == std::vector<std::uint32_t>{0, 2, 3, 4});
  CHECK(picked.sentences == std::vector<std::uint32_t>{0, 2, 3, 3});
}

TEST_CASE("one sentence is picked however long it is, the earlier of two worth as much") {
  Document document;
  document.sentence(1.0, {1, 2, 3}).sentence(1.0, {4, 5, 6}).abstract(true, 0, 2, 1);
  CHECK(document.picked().sentences == std::vector<std::uint32_t>{0});
}

TEST_CASE("arrays that do not fit together are refused") {
  Document document;
  document.sentence(1.0, {1}).abstract(true, 0, 1, 9);
  document.first[0] = 1;
  CHECK(check(document.sentences(), document.tree()) != nullptr);
  document.first[0] = 0xFFFFFFFF;
  CHECK(check(document.sentences(), document.tree()) != nullptr);
  document.first[0] = 0;
  document.is_leaf[0] = 0;  // its own child
  CHECK(check(document.sentences(), document.tree()) != nullptr);
  document.is_leaf[0] = 1;
  document.offsets[1] = 2;
  CHECK(check(document.sentences(), document.tree()) != nullptr);
  document.offsets.pop_back();
  CHECK(check(document.sentences(), document.tree()) != nullptr);
  document.room.clear();
  CHECK(check(document.sentences(), document.tree()) != nullptr);
}

TEST_CASE("any document gets an ascending pick of its own sentences an abstract") {
  Random random(9);
  for (int round = 0; round < 500; ++round) {
    Document document;
    const std::uint32_t size = 1 + random.below(40);
    for (std::uint32_t j = 0; j < size; ++j) {
      std::vector<std::uint32_t> words(random.below(6));
      for (auto& word : words) {
        word = random.below(10);
      }
      document.sentence(random.below(4), words);
    }
    const std::uint32_t half = random.below(size + 1);
    document.abstract(true, 0, half, 5).abstract(true, half, size - half, 5);
    document.abstract(false, 0, 2, 8);
    const Picked picked = document.picked();
    const auto part = [&](std::size_t a) {
      return std::vector(picked.sentences.begin() + picked.borders[a],
                         picked.sentences.begin() + picked.borders[a + 1]);
    };
    for (std::size_t a = 0; a < 3; ++a) {
      REQUIRE(std::ranges::is_sorted(part(a)));
    }
    std::vector<std::uint32_t> below = part(0), second = part(1);
    below.insert(below.end(), second.begin(), second.end());
    REQUIRE(std::ranges::includes(below, part(2)));
    REQUIRE(!part(2).empty());
  }
}

TEST_CASE("a leaf picks from the sentences of its chunks, another from its children") {
  const std::vector<std::uint32_t> child_count{0, 0, 2}, first_child{0, 0, 0}, first_chunk{0, 2, 0},
      chunk_count{2, 1, 3}, chunks{0, 3, 4, 9}, rooms{40, 60};
  const std::vector<std::uint8_t> level{0, 0, 7};
  const SummaryShape shape =
      summary_shape({child_count, first_child, first_chunk, chunk_count, level}, chunks, rooms);
  CHECK(shape.is_leaf == std::vector<std::uint8_t>{1, 1, 0});
  CHECK(shape.first == std::vector<std::uint32_t>{0, 4, 0});
  CHECK(shape.count == std::vector<std::uint32_t>{4, 5, 2});
  CHECK(shape.room == std::vector<std::uint32_t>{40, 40, 60});
}

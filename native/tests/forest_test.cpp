#include "bridge/forest.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bridge/expand.h"
#include "trees.h"

using namespace bridge;

TEST_CASE("a sound forest passes, and comes back from its payload") {
  Random random(1);
  for (int round = 0; round < 50; ++round) {
    const Trees trees = random_trees(1 + random.below(6), random);
    CHECK(check(trees.view()) == "");
    const Image image = pack(trees.view());
    const Forest opened = open_forest(image.bytes());
    CHECK(check(opened) == "");
    CHECK(std::ranges::equal(opened.parent, trees.parent));
    CHECK(std::ranges::equal(opened.first_child, trees.first_child));
    CHECK(std::ranges::equal(opened.child_count, trees.child_count));
    CHECK(std::ranges::equal(opened.first_chunk, trees.first_chunk));
    CHECK(std::ranges::equal(opened.chunk_count, trees.chunk_count));
    CHECK(std::ranges::equal(opened.level, trees.level));
    CHECK(opened.chunks == trees.n_chunks);
  }
}

TEST_CASE("a forest of nothing is sound") {
  const Image image = pack(Forest{});
  const Forest opened = open_forest(image.bytes());
  CHECK(opened.size() == 0);
  CHECK(check(opened) == "");
  CHECK(expand(opened, {}, 3).empty());
}

TEST_CASE("any single wrong number is found, whichever it is") {
  Random random(2);
  const Trees sound = random_trees(4, random);
  const std::size_t size = sound.parent.size();
  for (int round = 0; round < 2000; ++round) {
    Trees broken = sound;
    const std::size_t a = random.below(size);
    const std::uint32_t off = 1 + random.below(3);
    switch (random.below(7)) {
      case 0: broken.parent[a] += off; break;
      case 1: broken.first_child[a] += off; break;
      case 2: broken.child_count[a] += off; break;
      case 3: broken.first_chunk[a] += off; break;
      case 4: broken.chunk_count[a] += off; break;
      case 5: broken.n_chunks += off; break;
      default: broken.level[a] = static_cast<std::uint8_t>(broken.level[a] + off);
    }
    CHECK(check(broken.view()) != "");
  }
}

TEST_CASE("what is wrong is said in words") {
  Random random(3);
  Trees trees;
  trees.add_document(3, 3, random);
  trees.level.back() = 2;
  CHECK(check(trees.view()) == "abstract 0: its level is 0, its parent's 2");
}

TEST_CASE("a cut payload is refused, an altered one gives an answer or an exception") {
  Random random(4);
  const Trees trees = random_trees(5, random);
  const Image image = pack(trees.view());
  const std::vector<std::byte> whole(image.bytes().begin(), image.bytes().end());
  for (std::size_t size = 0; size < whole.size(); size += 1 + random.below(20)) {
    const std::vector<std::byte> part(whole.begin(),
                                      whole.begin() + static_cast<std::ptrdiff_t>(size));
    CHECK_THROWS_AS(open_forest(part), DamagedPayload);
  }
  for (int round = 0; round < 1000; ++round) {
    std::vector<std::byte> altered = whole;
    for (std::uint32_t flips = 1 + random.below(20); flips > 0; --flips) {
      // The number of chunks (bytes 24 to 31) bounds what `pool` may give; a checksum guards it.
      std::size_t at = random.below(altered.size());
      if (at >= 24 && at < 32) {
        at = 0;
      }
      altered[at] ^= static_cast<std::byte>(1U << random.below(8));
    }
    try {
      const Forest forest = open_forest(altered);
      std::string problem = check(forest);
      std::vector<AbstractId> seeds;
      for (AbstractId a = 0; a < forest.size(); a += 3) {
        seeds.push_back(a);
      }
      const std::vector<AbstractId> all = expand(forest, seeds, 300);
      for (const AbstractId a : all) {
        CHECK(a < forest.size());
      }
      for (const ChunkId c : pool(forest, all)) {
        CHECK(c < forest.chunks);
      }
    } catch (const DamagedPayload&) {
    }
  }
}

TEST_CASE("a number of chunks that ids cannot count is refused") {
  Random random(5);
  const Image image = pack(random_trees(2, random).view());
  std::vector<std::byte> altered(image.bytes().begin(), image.bytes().end());
  altered[28] = std::byte{1};  // 2^32 more chunks: their ids would start again at 0
  CHECK_THROWS_AS(open_forest(altered), DamagedPayload);
}

TEST_CASE("a number of chunks that is not where the leaves end is found") {
  Random random(6);
  const Image image = pack(random_trees(2, random).view());
  std::vector<std::byte> altered(image.bytes().begin(), image.bytes().end());
  altered[26] ^= std::byte{1};
  CHECK(check(open_forest(altered)).starts_with("the last leaf ends at chunk"));
}

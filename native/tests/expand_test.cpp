#include "bridge/expand.h"

#include <doctest/doctest.h>

#include <set>
#include <vector>

#include "trees.h"

using namespace bridge;

namespace {

using IdSet = std::set<std::uint32_t>;

void add_up(const Trees& trees, AbstractId a, std::uint32_t depth, IdSet& out) {
  out.insert(a);
  if (depth > 0 && trees.parent[a] != kNoParent) {
    add_up(trees, trees.parent[a], depth - 1, out);
  }
}

void add_down(const Trees& trees, AbstractId a, std::uint32_t depth, IdSet& out) {
  out.insert(a);
  if (depth == 0) {
    return;
  }
  for (AbstractId child = 0; child < trees.parent.size(); ++child) {
    if (trees.parent[child] == a) {
      add_down(trees, child, depth - 1, out);
    }
  }
}

std::vector<std::uint32_t> list(const IdSet& ids) { return {ids.begin(), ids.end()}; }

}  // namespace

TEST_CASE("expansion is the seeds with their relatives, one seed at a time, whatever the forest") {
  Random random(1);
  for (int round = 0; round < 150; ++round) {
    const Trees trees = random_trees(1 + random.below(4), random);
    const auto size = static_cast<std::uint32_t>(trees.parent.size());
    std::vector<AbstractId> seeds;
    for (std::uint32_t i = random.below(12); i > 0; --i) {
      seeds.push_back(random.below(size));
    }
    const std::uint32_t depth = random.below(7);
    IdSet expected;
    for (const AbstractId seed : seeds) {
      add_up(trees, seed, depth, expected);
      add_down(trees, seed, depth, expected);
    }
    CHECK(expand(trees.view(), seeds, depth) == list(expected));
  }
}

TEST_CASE("ancestors come nearest first, descendants ascending, neither with the abstract itself") {
  Random random(2);
  const Trees trees = random_trees(5, random);
  for (AbstractId a = 0; a < trees.parent.size(); ++a) {
    const std::uint32_t depth = random.below(5);
    IdSet up, down;
    add_up(trees, a, depth, up);
    add_down(trees, a, depth, down);
    up.erase(a);
    down.erase(a);
    CHECK(ancestors(trees.view(), a, depth) == list(up));
    CHECK(descendants(trees.view(), a, depth) == list(down));
  }
}

TEST_CASE("the pool is every chunk of the abstracts, once") {
  Random random(3);
  const Trees trees = random_trees(5, random);
  const Image image = pack(trees.view());
  const Forest forest = open_forest(image.bytes());
  for (int round = 0; round < 100; ++round) {
    std::vector<AbstractId> abstracts;
    IdSet expected;
    for (std::uint32_t i = random.below(10); i > 0; --i) {
      const AbstractId a = random.below(trees.parent.size());
      abstracts.push_back(a);
      for (std::uint32_t c = 0; c < trees.chunk_count[a]; ++c) {
        expected.insert(trees.first_chunk[a] + c);
      }
    }
    CHECK(pool(forest, abstracts) == list(expected));
  }
}

TEST_CASE("an abstract that is not there is refused") {
  Random random(4);
  const Trees trees = random_trees(2, random);
  const auto size = static_cast<AbstractId>(trees.parent.size());
  CHECK_THROWS_AS(expand(trees.view(), std::vector{AbstractId{0}, size}, 1), std::out_of_range);
  CHECK_THROWS_AS(ancestors(trees.view(), size, 1), std::out_of_range);
  CHECK_THROWS_AS(descendants(trees.view(), size, 1), std::out_of_range);
  CHECK_THROWS_AS(pool(trees.view(), std::vector{size}), std::out_of_range);
}

TEST_CASE("every abstract of a big tree as a seed, at any depth, gives the tree") {
  Random random(5);
  Trees trees;
  trees.add_document(50000, 2, random);
  std::vector<AbstractId> seeds(trees.parent.size());
  for (AbstractId a = 0; a < seeds.size(); ++a) {
    seeds[a] = a;
  }
  CHECK(expand(trees.view(), seeds, 0xFFFFFFFFU) == seeds);
}

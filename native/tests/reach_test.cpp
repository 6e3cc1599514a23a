#include "bridge/reach.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <vector>

#include "trees.h"

using namespace bridge;

namespace {

// Documents of random trees as one segment; some are not alive.
struct Made {
  Trees trees;
  std::vector<std::uint32_t> first_abstract{0}, first_chunk{0};
  std::vector<std::uint8_t> alive;
  std::vector<float> rows;

  explicit Made(Random& random) {
    for (int i = 0; i < 8; ++i) {
      trees.add_document(1 + random.below(20), 3, random);
      first_abstract.push_back(static_cast<std::uint32_t>(trees.parent.size()));
      first_chunk.push_back(static_cast<std::uint32_t>(trees.n_chunks));
      alive.push_back(random.below(4) > 0);
    }
    for (std::size_t i = 0; i < 2 * trees.n_chunks; ++i) {
      rows.push_back(static_cast<float>(random.below(3)));
    }
  }

  ReachSegment segment() const {
    return {trees.view(),
            first_abstract,
            first_chunk,
            alive,
            {rows.data(), RowType::f32, static_cast<std::size_t>(trees.n_chunks), 2}};
  }

  // Some leaves of each of two entities.
  SeedLists seeds(Random& random) const {
    SeedLists lists;
    lists.offsets.push_back(0);
    for (int e = 0; e < 2; ++e) {
      for (AbstractId a = 0; a < trees.parent.size(); ++a) {
        if (trees.level[a] == 0 && random.below(5) == 0) {
          lists.ids.push_back(a);
        }
      }
      lists.offsets.push_back(lists.ids.size());
    }
    return lists;
  }

  std::size_t document_of(AbstractId a) const {
    return static_cast<std::size_t>(
               std::upper_bound(first_abstract.begin(), first_abstract.end(), a) -
               first_abstract.begin()) -
           1;
  }
};

const std::vector<std::uint8_t> kAsked{0, 0};

}  // namespace

TEST_CASE("the pool is that of the live seeds, expanded, and each chunk of it can be explained") {
  Random random(1);
  for (int round = 0; round < 50; ++round) {
    const Made made(random);
    const std::vector<ReachSegment> segments{made.segment()};
    const SeedLists found = made.seeds(random);
    std::vector<AbstractId> live;
    for (const AbstractId a : found.ids) {
      if (made.alive[made.document_of(a)] != 0) {
        live.push_back(a);
      }
    }
    const std::uint32_t depth = random.below(4);
    const Reach made_reach = reach(segments, {found}, kAsked, 8, depth);
    const auto expected = expand(segments[0].forest, live, depth);
    CHECK(made_reach.expanded[0] == expected);
    CHECK(made_reach.pools[0] == pool(segments[0].forest, expected));
    CHECK(made_reach.chunks == made_reach.pools[0].size());
    for (const ChunkId chunk : made_reach.pools[0]) {
      const Traced traced = trace(segments[0], made_reach, 0, chunk);
      CHECK(!traced.owners.empty());
      CHECK(!traced.ways.empty());
    }
  }
}

TEST_CASE("of entities in many documents those that would open too many chunks are left out") {
  Random random(2);
  const Made made(random);
  const std::vector<ReachSegment> segments{made.segment()};
  const SeedLists found = made.seeds(random);
  const ReachLimits none{0, 1.0, 0};
  const Reach nothing = reach(segments, {found}, kAsked, 8, 2, none);
  CHECK(nothing.chunks == 0);
  CHECK(nothing.verdicts == std::vector<Verdict>(2, Verdict::crowded));
  const ReachLimits common{0, 0.0, 1000};
  const Reach rare = reach(segments, {found}, kAsked, 8, 2, common);
  CHECK(rare.verdicts == std::vector<Verdict>(2, Verdict::common));
  CHECK(rare.seeds[0].ids.empty());
  const std::vector<std::uint8_t> crowded{1, 0};
  SeedLists rest = found;
  rest.ids.erase(rest.ids.begin(), rest.ids.begin() + static_cast<std::ptrdiff_t>(rest.offsets[1]));
  rest.offsets = {0, 0, rest.ids.size()};
  const Reach one = reach(segments, {rest}, crowded, 8, 2);
  CHECK(one.verdicts == std::vector<Verdict>{Verdict::crowded, Verdict::followed});
}

TEST_CASE("where nothing would be followed the largest smaller depth at which one is is taken") {
  Random random(5);
  for (int round = 0; round < 50; ++round) {
    const Made made(random);
    const std::vector<ReachSegment> segments{made.segment()};
    const SeedLists found = made.seeds(random);
    const ReachLimits limits{0, 1.0, 1 + random.below(40)};
    const std::uint32_t asked = random.below(6);
    const Reach taken = reach(segments, {found}, kAsked, 8, asked, limits);
    CHECK(taken.chunks <= limits.most_chunks);
    for (std::uint32_t depth = taken.depth + 1; depth <= asked; ++depth) {
      const Reach above = reach(segments, {found}, kAsked, 8, depth, limits);
      CHECK(above.depth == taken.depth);
    }
    if (taken.chunks == 0) {
      CHECK(taken.depth == asked);
      CHECK(reach(segments, {found}, kAsked, 8, 0, limits).chunks == 0);
    }
  }
}

TEST_CASE("the best of all segments come first, with all that equal the last") {
  Random random(3);
  const Made one(random), two(random);
  const std::vector<ReachSegment> segments{one.segment(), two.segment()};
  const Reach made = reach(segments, {one.seeds(random), two.seeds(random)}, kAsked, 16, 2);
  const std::vector<float> query{1, 2};
  const auto all = best(segments, made, query, made.chunks);
  CHECK(all.size() == made.chunks);
  CHECK(std::is_sorted(all.begin(), all.end(),
                       [](const Found& a, const Found& b) { return a.score > b.score; }));
  for (const std::size_t k : {0U, 1U, 3U, 10U}) {
    const auto some = best(segments, made, query, k);
    CHECK(some.size() >= std::min<std::size_t>(k, made.chunks));
    for (std::size_t i = 0; i < some.size(); ++i) {
      CHECK(some[i].score == all[std::min(i, std::max<std::size_t>(k, 1) - 1)].score);
    }
  }
}

TEST_CASE("abstracts and chunks that are not there are refused") {
  Random random(4);
  const Made made(random);
  const std::vector<ReachSegment> segments{made.segment()};
  SeedLists wrong;
  wrong.ids = {static_cast<AbstractId>(made.trees.parent.size())};
  wrong.offsets = {0, 1, 1};
  CHECK_THROWS_AS(reach(segments, {wrong}, kAsked, 8, 2), std::out_of_range);
  const Reach fine = reach(segments, {made.seeds(random)}, kAsked, 8, 2);
  CHECK_THROWS_AS(trace(segments[0], fine, 0, static_cast<ChunkId>(made.trees.n_chunks)),
                  std::out_of_range);
  CHECK(any_alive(segments[0], {}) == false);
  std::size_t dead = 0;
  for (std::size_t d = 0; d < made.alive.size(); ++d) {
    dead += made.alive[d] ? 0 : made.first_abstract[d + 1] - made.first_abstract[d];
  }
  CHECK(dead_abstracts(segments[0]) == dead);
}

#include "bridge/lift.h"

#include <doctest/doctest.h>

#include <limits>

using namespace bridge;

namespace {

constexpr std::uint32_t kRoot = std::numeric_limits<std::uint32_t>::max();

// Four leaves under two parents under one root: 0 1 | 2 3 | 4 5 | 6.
const std::vector<std::uint32_t> kParent{4, 4, 5, 5, 6, 6, kRoot};
const std::vector<std::uint32_t> kChildren{0, 0, 0, 0, 2, 2, 2};
const std::vector<std::uint8_t> kLevel{0, 0, 0, 0, 1, 1, 2};

std::vector<EntityPair> lifted(std::vector<EntityPair> pairs, double share) {
  return lift(std::move(pairs), {kParent, kChildren, kLevel}, share);
}

using Pairs = std::vector<EntityPair>;

}  // namespace

TEST_CASE("what all children hold rises to the root") {
  CHECK(lifted({{9, 3}, {9, 0}, {9, 2}, {9, 1}, {9, 1}}, 0.5) == Pairs{{9, 6}});
}

TEST_CASE("what one child holds stays, and levels mix in order") {
  CHECK(lifted({{9, 0}, {9, 2}, {9, 3}, {8, 1}}, 0.5) == Pairs{{8, 1}, {9, 0}, {9, 5}});
}

TEST_CASE("with a share of 1 nothing rises, pairs are only sorted") {
  CHECK(lifted({{9, 3}, {9, 0}, {9, 2}, {9, 1}, {9, 1}}, 1.0) ==
        Pairs{{9, 0}, {9, 1}, {9, 2}, {9, 3}});
}

TEST_CASE("nothing and a forest of nothing are fine") {
  CHECK(lifted({}, 0.5).empty());
  CHECK(lift({}, {{}, {}, {}}, 0.5).empty());
}

TEST_CASE("two roots have nothing in common") {
  const std::vector<std::uint32_t> parent{kRoot, kRoot}, children{0, 0};
  const std::vector<std::uint8_t> level{0, 0};
  CHECK(lift({{9, 1}, {9, 0}}, {parent, children, level}, 0.0) == Pairs{{9, 0}, {9, 1}});
}

#include "bridge/renumber.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <vector>

using namespace bridge;

namespace {

std::uint32_t count(const std::vector<std::vector<std::uint32_t>>& lists) {
  const std::vector<Renumbering> maps(lists.begin(), lists.end());
  return count_kept(maps);
}

}  // namespace

TEST_CASE("what maps keep is counted") {
  CHECK(count({}) == 0);
  CHECK(count({{}, {kDropped}}) == 0);
  CHECK(count({{1, kDropped, 0}, {}, {2}}) == 3);
}

TEST_CASE("a number given twice, or beyond the count, is refused") {
  CHECK_THROWS_AS(count({{0}, {0}}), std::invalid_argument);
  CHECK_THROWS_AS(count({{0, 2}}), std::invalid_argument);
  CHECK_THROWS_AS(count({{kDropped - 1}}), std::invalid_argument);
}

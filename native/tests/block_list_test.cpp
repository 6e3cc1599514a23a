#include "bridge/block_list.h"

#include <doctest/doctest.h>

#include <set>
#include <vector>

#include "random.h"

using namespace bridge;

namespace {

std::vector<AbstractId> ids_of(const BlockPool& pool, ListHandle list) {
  std::vector<AbstractId> ids(pool.size(list));
  CHECK(pool.copy(list, ids.data()) == ids.data() + ids.size());
  return ids;
}

}  // namespace

TEST_CASE("a list of one id takes no block") {
  BlockPool pool;
  ListHandle list = kNoList;
  CHECK(pool.add(list, kMaxAbstract));
  CHECK_FALSE(pool.add(list, kMaxAbstract));
  CHECK(pool.size_bytes() == 0);
  CHECK(ids_of(pool, list) == std::vector{kMaxAbstract});
  CHECK(pool.discard(list, kMaxAbstract));
  CHECK(list == kNoList);
}

TEST_CASE("ids added in ascending order fill their blocks") {
  BlockPool pool;
  ListHandle list = kNoList;
  for (AbstractId id = 0; id < 600; ++id) {
    pool.add(list, id);
  }
  CHECK(pool.size_bytes() == 100 * 32);
}

TEST_CASE("a list agrees with a set under random changes, and gives its blocks back") {
  Random random(1);
  BlockPool pool;
  std::vector<ListHandle> lists(3, kNoList);
  std::vector<std::set<AbstractId>> truths(3);
  for (int step = 0; step < 20000; ++step) {
    const std::size_t which = random.below(3);
    const AbstractId id = random.below(60);
    ListHandle& list = lists[which];
    std::set<AbstractId>& truth = truths[which];
    switch (random.below(100)) {
      case 0:
        CHECK(pool.clear(list) == truth.size());
        truth.clear();
        break;
      default:
        if (random.below(2) == 0) {
          CHECK(pool.add(list, id) == truth.insert(id).second);
        } else {
          CHECK(pool.discard(list, id) == (truth.erase(id) == 1));
        }
    }
    REQUIRE(ids_of(pool, list) == std::vector<AbstractId>(truth.begin(), truth.end()));
    CHECK(pool.size(list) == truth.size());
  }
  CHECK(pool.size_bytes() <= 3 * 60 * 32);
}

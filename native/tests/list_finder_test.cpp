#include "bridge/list_finder.h"

#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <vector>

#include "random.h"

using namespace bridge;

namespace {

std::vector<ListHandle> found_by(const FindKernel& kernel, const ListQuestion& question) {
  ListFinder finder(question, kernel);
  std::vector<ListHandle> all;
  for (auto lists = finder.next(); !lists.empty(); lists = finder.next()) {
    all.insert(all.end(), lists.begin(), lists.end());
  }
  CHECK(finder.next().empty());  // and stays at its end
  return all;
}

// Every kernel gives the keys what each gets alone.
void check_like_find(const CuckooView& table, const std::vector<Key>& keys) {
  const std::vector<std::uint32_t> runs(7);  // shorter than most handles: asking for it is harmless
  for (const bool verify : {true, false}) {
    std::vector<ListHandle> expected;
    for (const Key key : keys) {
      const Place place = table.find(key, verify);
      expected.push_back(place ? *place.list : kNoList);
    }
    for (const FindKernel& kernel : find_kernels(verify)) {
      INFO(std::string(kernel.name));
      CHECK(found_by(kernel, {table, verify, keys, runs}) == expected);
      CHECK(found_by(kernel, {table, verify, keys, {}}) == expected);
    }
  }
}

}  // namespace

TEST_CASE("the last kernel is the portable one") {
  CHECK(std::string(find_kernels(true).back().name) == "portable");
  CHECK(find_kernels(false).size() == 1);
}

TEST_CASE("any number of keys is found, in order") {
  Random random(1);
  CuckooTable table(1000);
  std::vector<Key> stored;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    stored.push_back(random.next());
    table.insert(stored.back(), i % 3 == 0 ? i : kInline | i);
  }
  std::vector<Key> keys;
  for (std::size_t count = 0; count < 150; ++count) {
    check_like_find(table.view(), keys);
    keys.push_back(count % 4 == 0 ? random.next() : stored[random.below(1000)]);
  }
}

TEST_CASE("in a table from which entities were taken, key 0 among them") {
  Random random(11);
  for (const std::uint32_t entities : {0U, 1U, 2U, 15U, 16U, 31U, 5000U}) {
    CuckooTable table;
    std::vector<Key> keys;
    while (keys.size() < entities) {
      keys.push_back(keys.size() == 7 ? 0 : random.next());
    }
    for (std::uint32_t i = 0; i < entities; ++i) {
      table.insert(keys[i], kInline | i);
    }
    for (std::uint32_t i = 0; i < entities / 3; ++i) {
      table.erase(keys[i]);  // holes, which have the key 0
    }
    for (int i = 0; i < 100; ++i) {
      keys.push_back(i == 50 ? 0 : random.next());
    }
    check_like_find(table.view(), keys);
  }
}

TEST_CASE("behind holes that pass for it, key 0 is found") {
  for (std::size_t holes = 0; holes < kBucketSlots; ++holes) {
    std::vector<Bucket> buckets(2, Bucket{{}, {}, {kNoList, kNoList, kNoList, kNoList}});
    const Address where = address(0, {2});
    buckets[where.first].set(holes, {0, where.fingerprint, kInline | 5});
    check_like_find(CuckooView(buckets, {}), {0, 1, 0});
  }
}

TEST_CASE("with a stash, and in a filled table") {
  Random random(5);
  std::vector<Key> keys;
  std::vector<Slot> stash;
  for (std::uint32_t i = 0; i < 64; ++i) {
    keys.push_back(i);
    if (i % 2 == 0) {
      stash.push_back({i, address(i, {2}).fingerprint, kInline | i});
    }
  }
  std::vector<Bucket> buckets(2);
  for (Bucket& bucket : buckets) {
    for (std::size_t s = 0; s < kBucketSlots; ++s) {
      keys.push_back(random.next());
      bucket.set(s, {keys.back(), address(keys.back(), {2}).fingerprint, kInline | 7});
    }
  }
  for (const bool filled : {true, false}) {
    check_like_find(CuckooView(buckets, stash, false, filled), keys);
    check_like_find(CuckooView(buckets, stash, true, filled), keys);
  }
}

TEST_CASE("buckets may stand at any multiple of eight bytes") {
  Random random(6);
  CuckooTable table(500);
  std::vector<Key> keys;
  for (std::uint32_t i = 0; i < 500; ++i) {
    keys.push_back(random.next());
    table.insert(keys.back(), kInline | i);
  }
  const std::span<const Bucket> buckets = table.view().buckets();
  std::vector<Key> room(buckets.size_bytes() / sizeof(Key) + 8);
  for (std::size_t shift = 0; shift < 8; ++shift) {
    std::memcpy(room.data() + shift, buckets.data(), buckets.size_bytes());
    auto* const moved = reinterpret_cast<Bucket*>(room.data() + shift);
    check_like_find(CuckooView({moved, buckets.size()}, {}), keys);
  }
}

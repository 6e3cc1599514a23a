#include "bridge/cuckoo_table.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <vector>

#include "random.h"

using namespace bridge;

namespace {

// Keys whose mixed bits agree in the fingerprint and in the `bits` below it: up to 2^bits buckets,
// all of them want the same two.
std::vector<Key> crowd(std::size_t count, unsigned bits) {
  std::vector<Key> keys;
  const unsigned shift = 52 - bits - static_cast<unsigned>(std::bit_width(count - 1));
  const auto unmix = [](Key x) {  // the inverse of `mix`, step by step
    x ^= x >> 31 ^ x >> 62;
    x *= 0x319642B2D24D8EC3ULL;
    x ^= x >> 27 ^ x >> 54;
    x *= 0x96DE1B173F119089ULL;
    return x ^ x >> 30 ^ x >> 60;
  };
  for (std::size_t i = 0; i < count; ++i) {
    keys.push_back(unmix(0xABC0000000000000ULL | static_cast<Key>(i) << shift));
  }
  return keys;
}

void check_all(CuckooTable& table, const std::vector<Key>& keys) {
  REQUIRE(table.size() == keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const Place place = table.view().find(keys[i], true);
    REQUIRE(place);
    REQUIRE(*place.list == (kInline | i));
  }
}

std::size_t buckets_of(CuckooTable& table) { return table.view().buckets().size(); }

}  // namespace

TEST_CASE("an entity's two buckets differ, and lead to each other") {
  Random random(2);
  for (int i = 0; i < 10000; ++i) {
    const Shape shapes[] = {{2 + 2 * std::size_t{random.below(1000)}},
                            {std::size_t{2} << random.below(20), true},
                            {0xFFFFFFFE}};
    for (const Shape shape : shapes) {
      const Address a = address(random.next(), shape);
      REQUIRE(a.first < shape.buckets);
      REQUIRE(a.second < shape.buckets);
      CHECK(a.first != a.second);
      CHECK(partner(a.first, a.fingerprint, shape) == a.second);
      CHECK(partner(a.second, a.fingerprint, shape) == a.first);
      CHECK(a.fingerprint < 4096);
    }
  }
}

TEST_CASE("both buckets of entities are spread evenly, whatever the number of buckets") {
  Random random(9);
  const std::size_t buckets = 1000;
  std::vector<int> firsts(buckets), seconds(buckets);
  for (int i = 0; i < 400 * 1000; ++i) {
    const Address a = address(random.next(), {buckets});
    ++firsts[a.first];
    ++seconds[a.second];
  }
  for (std::size_t i = 0; i < buckets; ++i) {  // 400 expected, five times the spread of 20 allowed
    CHECK(std::abs(firsts[i] - 400) < 100);
    CHECK(std::abs(seconds[i] - 400) < 100);
  }
}

TEST_CASE("a table that grows entity by entity keeps all of them, and stays well filled") {
  Random random(3);
  CuckooTable table;
  std::vector<Key> keys;
  for (std::uint32_t i = 0; i < 20000; ++i) {
    keys.push_back(random.next());
    table.insert(keys.back(), kInline | i);
  }
  check_all(table, keys);
  CHECK(buckets_of(table) == 8192);  // load 0.61
  CHECK(table.view().stash().empty());
}

TEST_CASE("a table made for its entities is 80 % full, and takes 15 % more without growing") {
  Random random(4);
  for (const std::uint32_t entities : {1000U, 3000U, 10000U, 62000U}) {
    CuckooTable table(entities);
    const std::size_t buckets = buckets_of(table);
    CHECK(entities > buckets * kBucketSlots * 0.8 - 2 * kBucketSlots);
    CHECK(entities <= buckets * kBucketSlots * 0.8);
    for (std::uint32_t i = 0; i < entities * 115 / 100; ++i) {
      table.insert(random.next(), kInline | i);
    }
    CHECK(buckets_of(table) == buckets);
    CHECK(table.view().stash().empty());
  }
}

TEST_CASE("more entities than two buckets hold, all alike, neither get lost nor grow the table") {
  CuckooTable table;
  const std::vector<Key> keys = crowd(1000, 40);
  for (std::uint32_t i = 0; i < keys.size(); ++i) {
    table.insert(keys[i], kInline | i);
  }
  check_all(table, keys);
  CHECK(buckets_of(table) <= 1024);
  CHECK(table.view().stash().size() >= 992);
}

TEST_CASE("a table of more buckets than an address can name is refused") {
  CHECK_THROWS_AS(CuckooTable(std::size_t{1} << 35), std::length_error);
}

TEST_CASE("doubling separates entities that differ in the next bits of their keys") {
  CuckooTable table;
  const std::vector<Key> keys = crowd(64, 2);
  for (std::uint32_t i = 0; i < keys.size(); ++i) {
    table.insert(keys[i], kInline | i);
  }
  check_all(table, keys);
  CHECK(table.view().stash().size() <= 24);
}

TEST_CASE("a crowd among many others is found, and can be taken out") {
  Random random(5);
  CuckooTable table;
  std::vector<Key> keys = crowd(50, 40);
  for (int i = 0; i < 5000; ++i) {
    keys.push_back(random.next());
  }
  for (std::uint32_t i = 0; i < keys.size(); ++i) {
    table.insert(keys[i], kInline | i);
  }
  check_all(table, keys);
  for (std::size_t i = 0; i < 50; i += 2) {
    table.erase(keys[i]);
    CHECK_FALSE(table.view().find(keys[i], true));
  }
  for (std::size_t i = 1; i < 50; i += 2) {
    CHECK(table.view().find(keys[i], true));
  }
}

TEST_CASE("reorder puts the hot first, and keeps everyone findable") {
  Random random(6);
  CuckooTable table;
  std::vector<Key> keys;
  for (std::uint32_t i = 0; i < 3000; ++i) {
    keys.push_back(random.next());
    table.insert(keys.back(), kInline | i);
    for (std::uint32_t times = random.below(9); times > 0; --times) {
      heat(*table.view().find(keys.back(), true).mark);
    }
  }
  for (std::size_t i = 0; i < 500; ++i) {
    table.erase(keys[i]);  // holes in front
  }
  table.view().reorder();
  for (const Bucket& bucket : table.view().buckets()) {
    for (std::size_t s = 1; s < kBucketSlots; ++s) {
      if (bucket.lists[s] == kNoList) {
        continue;
      }
      CHECK(bucket.lists[s - 1] != kNoList);
      CHECK(temperature_of(bucket.marks[s - 1]) >= temperature_of(bucket.marks[s]));
    }
  }
  for (std::uint32_t i = 500; i < 3000; ++i) {
    const Place place = table.view().find(keys[i], true);
    REQUIRE(place);
    CHECK(*place.list == (kInline | i));
  }
}

TEST_CASE("a temperature stops at its highest, and leaves the fingerprint alone") {
  std::uint32_t mark = 0x123U | (kMaxTemperature - 1) << kFingerprintBits;
  heat(mark);
  heat(mark);
  CHECK(temperature_of(mark) == kMaxTemperature);
  CHECK((mark & 0xFFFU) == 0x123U);
}

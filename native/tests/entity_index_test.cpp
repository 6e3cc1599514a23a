#include "bridge/entity_index.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <thread>
#include <vector>

#include "random.h"

using namespace bridge;

namespace {

using Truth = std::map<Key, std::set<AbstractId>>;
using IdList = std::vector<AbstractId>;

struct Pairs {
  std::vector<Key> keys;
  IdList abstracts;
};

Pairs random_pairs(std::size_t count, Random& random) {
  Pairs pairs;
  for (std::size_t i = 0; i < count; ++i) {
    pairs.keys.push_back(random.below(count / 3 + 1));
    pairs.abstracts.push_back(random.below(50));
  }
  return pairs;
}

Truth truth_of(const Pairs& pairs) {
  Truth truth;
  for (std::size_t i = 0; i < pairs.keys.size(); ++i) {
    truth[pairs.keys[i]].insert(pairs.abstracts[i]);
  }
  return truth;
}

IdList ids_of(const EntityIndex& index, Key key) {
  IdList ids;
  index.lookup(key, ids);
  return ids;
}

void check_same(const EntityIndex& index, const Truth& truth) {
  REQUIRE(index.size() == truth.size());
  std::size_t pairs = 0;
  for (const auto& [key, ids] : truth) {
    REQUIRE(ids_of(index, key) == IdList(ids.begin(), ids.end()));
    pairs += ids.size();
  }
  CHECK(index.pairs() == pairs);
}

std::vector<std::byte> copy_of(const Image& image) {
  return {image.bytes().begin(), image.bytes().end()};
}

std::vector<std::byte> payload_of(const Pairs& pairs) {
  return copy_of(EntityIndex::build(pairs.keys, pairs.abstracts).to_bytes());
}

}  // namespace

TEST_CASE("an index agrees with a map under random changes, and after every way of copying it") {
  Random random(1);
  EntityIndex index;
  Truth truth;
  for (int step = 0; step < 30000; ++step) {
    const Key key = random.below(800);
    const AbstractId id = random.below(30);
    switch (random.below(10)) {
      case 0:
        CHECK(index.remove(key) == (truth.contains(key) ? truth[key].size() : 0));
        truth.erase(key);
        break;
      case 1:
      case 2: {
        const bool there = truth.contains(key) && truth[key].erase(id) == 1;
        CHECK(index.discard(key, id) == there);
        if (truth.contains(key) && truth[key].empty()) {
          truth.erase(key);
        }
        break;
      }
      case 3: CHECK(index.touch(key) == truth.contains(key)); break;
      default: CHECK(index.add(key, id) == truth[key].insert(id).second);
    }
    if (step % 5000 == 0) {
      index.reorder();
    }
  }
  check_same(index, truth);
  const Image image = index.to_bytes();
  check_same(EntityIndex::open(image.bytes(), false), truth);
  check_same(index.thaw(), truth);
  const Entries all = index.entries();
  CHECK(std::is_sorted(all.keys.begin(), all.keys.end()));
  CHECK(all.offsets.back() == index.pairs());
}

TEST_CASE("the same pairs give the same bytes, whatever their order and the temperatures") {
  Random random(2);
  Pairs pairs = random_pairs(3000, random);
  const std::vector<std::byte> expected = payload_of(pairs);

  EntityIndex grown;
  for (std::size_t i = pairs.keys.size(); i-- > 0;) {
    grown.add(pairs.keys[i], pairs.abstracts[i]);
    grown.touch(pairs.keys[i]);
  }
  grown.reorder();
  CHECK(copy_of(grown.to_bytes()) == expected);

  EntityIndex built = EntityIndex::build(pairs.keys, pairs.abstracts);
  for (const Key key : pairs.keys) {
    built.touch(key);
  }
  built.reorder();
  CHECK(copy_of(built.to_bytes()) == expected);
}

TEST_CASE("an index of nothing answers, packs and opens") {
  const EntityIndex index = EntityIndex::build({}, {});
  CHECK(index.size() == 0);
  CHECK(ids_of(index, 0).empty());
  CHECK(EntityIndex::open(index.to_bytes().bytes(), false).size() == 0);
}

TEST_CASE("the keys 0 and 2^64 - 1 are keys like others") {
  EntityIndex index;
  CHECK(ids_of(index, 0).empty());
  index.add(0, 1);
  index.add(~Key{0}, 2);
  CHECK(ids_of(index, 0) == IdList{1});
  CHECK(ids_of(index, ~Key{0}) == IdList{2});
}

TEST_CASE("many keys at once get what each gets alone") {
  Random random(3);
  const Pairs pairs = random_pairs(2000, random);
  const EntityIndex index = EntityIndex::build(pairs.keys, pairs.abstracts);
  std::vector<Key> keys;
  for (int i = 0; i < 1777; ++i) {
    keys.push_back(random.below(1500));
  }
  const EntityIndex grown = index.thaw();
  for (const EntityIndex* each : {&index, &grown}) {
    for (const std::size_t count : {0UL, 1UL, 33UL, 512UL, 513UL, 1777UL}) {
      const std::span<const Key> asked = std::span(keys).first(count);
      std::vector<std::uint64_t> offsets(count + 1);
      std::vector<std::uint32_t> counts(count);
      LargeVector<AbstractId> ids{7};  // what is there stays
      each->lookup_many(asked, offsets, ids);
      each->count_many(asked, counts);
      CHECK(offsets.front() == 1);
      CHECK(offsets.back() == ids.size());
      for (std::size_t i = 0; i < count; ++i) {
        const IdList part(ids.begin() + static_cast<std::ptrdiff_t>(offsets[i]),
                          ids.begin() + static_cast<std::ptrdiff_t>(offsets[i + 1]));
        CHECK(part == ids_of(index, asked[i]));
        CHECK(counts[i] == part.size());
      }
    }
  }
}

TEST_CASE("many lists of any length, the last of all runs too, are copied whole") {
  for (const std::size_t longest : {1UL, 2UL, 4UL, 5UL, 6UL, 3000UL}) {
    Pairs pairs;
    for (Key key = 0; key < 40; ++key) {
      const std::size_t ids = key % 3 == 0 ? 1 : key == 38 ? longest : 1 + key % 7 % longest;
      for (std::size_t id = 0; id < ids; ++id) {
        pairs.keys.push_back(key);
        pairs.abstracts.push_back(static_cast<AbstractId>(kMaxAbstract - 5 * id - key));
      }
    }
    const EntityIndex index = EntityIndex::build(pairs.keys, pairs.abstracts);
    const EntityIndex grown = index.thaw();
    std::vector<Key> keys;
    for (Key key = 0; key < 200; ++key) {
      keys.push_back(key % 45);
    }
    for (const EntityIndex* each : {&index, &grown}) {
      std::vector<std::uint64_t> offsets(keys.size() + 1);
      LargeVector<AbstractId> ids;
      IdList expected;
      each->lookup_many(keys, offsets, ids);
      for (std::size_t i = 0; i < keys.size(); ++i) {
        CHECK(offsets[i] == expected.size());
        index.lookup(keys[i], expected);
      }
      CHECK(IdList(ids.begin(), ids.end()) == expected);
    }
  }
}

TEST_CASE("without runs, with one entity, and for key 0 many keys get what each gets alone") {
  const EntityIndex index = EntityIndex::build(std::vector<Key>{0}, IdList{5});
  const EntityIndex none = EntityIndex::build({}, {});
  const std::vector<Key> keys{1, 0, 2, 0};
  std::vector<std::uint32_t> counts(keys.size(), 9);
  index.count_many(keys, counts);
  CHECK(counts == std::vector<std::uint32_t>{0, 1, 0, 1});
  none.count_many(keys, counts);
  CHECK(counts == std::vector<std::uint32_t>(4, 0));
}

TEST_CASE("a packed index takes 21 bytes an entity or less, however many entities") {
  Random random(10);
  for (const std::size_t entities : {500UL, 1000UL, 2100UL, 3000UL, 8200UL, 17000UL, 70000UL}) {
    Pairs pairs;
    for (std::size_t e = 0; e < entities; ++e) {
      pairs.keys.push_back(random.next());
      pairs.abstracts.push_back(7);
    }
    CHECK(EntityIndex::build(pairs.keys, pairs.abstracts).size_bytes() <= 21 * entities);
  }
}

TEST_CASE("a packed index refuses changes, and its thawed copy takes them") {
  EntityIndex index = EntityIndex::build(std::vector<Key>{7}, IdList{1});
  CHECK_THROWS_AS(index.add(7, 2), PackedIndex);
  CHECK_THROWS_AS(index.discard(7, 1), PackedIndex);
  CHECK_THROWS_AS(index.remove(7), PackedIndex);
  EntityIndex copy = index.thaw();
  CHECK(copy.add(7, 2));
  CHECK(ids_of(copy, 7) == IdList{1, 2});
  CHECK(ids_of(index, 7) == IdList{1});
}

TEST_CASE("an id above the highest is refused") {
  EntityIndex index;
  CHECK_THROWS_AS(index.add(1, kMaxAbstract + 1), std::out_of_range);
  CHECK_THROWS_AS(EntityIndex::build(std::vector<Key>{1}, IdList{kMaxAbstract + 1}),
                  std::out_of_range);
  CHECK(index.add(1, kMaxAbstract));
}

TEST_CASE("a writable payload keeps temperatures in place, a read-only one keeps none") {
  const Pairs pairs{{1, 2, 3}, {1, 2, 3}};
  std::vector<std::byte> payload = payload_of(pairs);
  const std::vector<std::byte> before = payload;
  EntityIndex fixed = EntityIndex::open(payload, false);
  CHECK(fixed.touch(2));
  CHECK(fixed.temperature(2) == 0);
  CHECK(payload == before);
  EntityIndex warm = EntityIndex::open(payload, true);
  CHECK(warm.touch(2));
  CHECK_FALSE(warm.touch(9));
  CHECK(warm.temperature(2) == 1);
  CHECK(EntityIndex::open(payload, false).temperature(2) == 1);
}

TEST_CASE("without verification no pair is lost, and absent keys are answered at the known rate") {
  Random random(4);
  Pairs pairs;
  for (AbstractId i = 0; i < 20000; ++i) {
    pairs.keys.push_back(random.next());
    pairs.abstracts.push_back(i);
  }
  const EntityIndex index = EntityIndex::build(pairs.keys, pairs.abstracts, false);
  CHECK_FALSE(index.verify());
  check_same(
      [&] {
        EntityIndex exact;
        const Entries all = index.entries();
        for (std::size_t e = 0; e < all.keys.size(); ++e) {
          exact.add(all.keys[e], all.ids[e]);
        }
        return exact;
      }(),
      truth_of(pairs));

  std::size_t own = 0, answered = 0;
  for (std::size_t i = 0; i < pairs.keys.size(); ++i) {
    own += ids_of(index, pairs.keys[i]) == IdList{pairs.abstracts[i]};
  }
  const int absent = 200000;
  for (int i = 0; i < absent; ++i) {
    answered += !ids_of(index, random.next()).empty();
  }
  CHECK(own > pairs.keys.size() * 998 / 1000);
  const double theory = 8 * index.load() / 4096;
  const double rate = static_cast<double>(answered) / absent;
  CHECK(rate > theory * 0.8);
  CHECK(rate < theory * 1.2);
}

TEST_CASE("threads may look up and touch at once, and no touch is lost") {
  EntityIndex index = EntityIndex::build(std::vector<Key>{1, 2}, IdList{10, 20});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&index] {
      for (int i = 0; i < 5000; ++i) {
        index.touch(1);
        IdList ids;
        index.lookup(2, ids);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  CHECK(index.temperature(1) == 20000);
}

// ---- merging

TEST_CASE("parts that are merged under any new numbers are what is built of all they keep") {
  constexpr std::uint32_t kAbstracts = 50;
  Random random(7);
  for (int round = 0; round < 100; ++round) {
    std::vector<std::vector<std::uint32_t>> maps(random.below(4));
    std::vector<EntityIndex> indexes;
    std::vector<Pairs> all;
    std::uint32_t next = 0;
    for (auto& map : maps) {
      for (std::uint32_t a = 0; a < kAbstracts; ++a) {
        map.push_back(random.below(3) == 0 ? kDropped : next++);
      }
      if (random.below(2) == 0) {
        std::reverse(map.begin(), map.end());
      }
      all.push_back(random_pairs(random.below(600), random));
      indexes.push_back(EntityIndex::build(all.back().keys, all.back().abstracts));
      if (random.below(2) == 0) {
        indexes.back() = indexes.back().thaw();
      }
    }
    Pairs left;
    std::vector<const EntityIndex*> parts;
    for (std::size_t i = 0; i < all.size(); ++i) {
      parts.push_back(&indexes[i]);
      for (std::size_t p = 0; p < all[i].keys.size(); ++p) {
        const std::uint32_t number = maps[i][all[i].abstracts[p]];
        if (number != kDropped) {
          left.keys.push_back(all[i].keys[p]);
          left.abstracts.push_back(number);
        }
      }
    }
    const bool verify = random.below(2) == 0;
    const EntityIndex merged =
        EntityIndex::merge(parts, std::vector<Renumbering>(maps.begin(), maps.end()), verify);
    const EntityIndex built = EntityIndex::build(left.keys, left.abstracts, verify);
    CHECK(copy_of(merged.to_bytes()) == copy_of(built.to_bytes()));
    CHECK(merged.packed());
  }
}

TEST_CASE("parts with many entities are merged a range of keys at a time, as they are built") {
  Random random(12);
  std::vector<Key> known(250'000);
  std::generate(known.begin(), known.end(), [&] { return random.next(); });
  std::vector<EntityIndex> indexes;
  std::vector<std::vector<std::uint32_t>> maps(3, std::vector<std::uint32_t>(50));
  Pairs all;
  for (std::uint32_t part = 0; part < maps.size(); ++part) {
    Pairs mine;
    for (std::uint32_t a = 0; a < 50; ++a) {
      maps[part][a] = a * 3 + part;
    }
    for (std::size_t i = 0; i < known.size(); ++i) {
      mine.keys.push_back(known[random.below(known.size())]);
      mine.abstracts.push_back(random.below(50));
      all.keys.push_back(mine.keys.back());
      all.abstracts.push_back(maps[part][mine.abstracts.back()]);
    }
    indexes.push_back(EntityIndex::build(mine.keys, mine.abstracts));
  }
  struct Counting : ImageSink {
    int starts = 0, rests = 0;
    void start(std::size_t size) override {
      ++starts;
      ImageSink::start(size);
    }
    void rest() override { ++rests; }
  } sink;
  const std::vector<const EntityIndex*> parts{&indexes[0], &indexes[1], &indexes[2]};
  const std::size_t size =
      EntityIndex::merge(parts, std::vector<Renumbering>(maps.begin(), maps.end()), true, sink);
  const EntityIndex built = EntityIndex::build(all.keys, all.abstracts);
  CHECK(size == built.size());
  CHECK(copy_of(sink.take()) == copy_of(built.to_bytes()));
  CHECK(sink.starts == 1);
  CHECK(sink.rests > 2 * 4);  // two rounds, in each of four ranges all of 14 MB
}

TEST_CASE("a table that turns out crowded begins anew, and holds all") {
  struct Counting : ImageSink {
    int starts = 0;
    void start(std::size_t size) override {
      ++starts;
      ImageSink::start(size);
    }
  } sink;
  Pairs pairs;
  for (Key key = 0; pairs.keys.size() < 24; ++key) {  // that have one pair of buckets
    const Address where = address(key, {256});
    if (where.first == 7 && where.fingerprint == 9) {
      pairs.keys.insert(pairs.keys.end(), 2, key);
      pairs.abstracts.insert(pairs.abstracts.end(), {1, 3});
    }
  }
  const EntityIndex index = EntityIndex::build(pairs.keys, pairs.abstracts);
  const IdList map{0, 1, 2, 3};
  EntityIndex::merge(std::vector<const EntityIndex*>{&index}, std::vector<Renumbering>{map}, true,
                     sink);
  CHECK(sink.starts == 2);
  const std::vector<std::byte> merged = copy_of(sink.take());
  CHECK(merged == payload_of(pairs));
  check_same(EntityIndex::open(merged, false), truth_of(pairs));
  CHECK(EntityIndex::open(merged, false).load() < 0.5);
}

TEST_CASE("an abstract that its map lacks is damage") {
  const EntityIndex index = EntityIndex::build(std::vector<Key>{7, 7}, IdList{1, 3});
  const IdList map{0, 1, 2};
  CHECK_THROWS_AS(
      EntityIndex::merge(std::vector<const EntityIndex*>{&index}, std::vector<Renumbering>{map}),
      DamagedPayload);
}

// ---- payloads that are not what they should be

namespace {

// Opens a payload and asks it everything; only DamagedPayload may come out.
void use(const std::vector<std::byte>& payload, Random& random) {
  // A copy of exactly this size, so that the address sanitizer sees any read past its end.
  std::vector<std::byte> bytes(payload);
  bytes.shrink_to_fit();
  try {
    EntityIndex index = EntityIndex::open(bytes, true);
    LargeVector<AbstractId> ids;
    std::vector<Key> keys;
    for (Key key = 0; key < 400; ++key) {
      keys.push_back(key);
    }
    std::vector<std::uint64_t> offsets(keys.size() + 1);
    for (int i = 0; i < 20; ++i) {
      index.touch(random.below(400));
    }
    index.reorder();
    std::vector<std::uint32_t> counts(keys.size());
    index.lookup_many(keys, offsets, ids);
    index.count_many(keys, counts);
    CHECK(offsets.back() == ids.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      CHECK(counts[i] == offsets[i + 1] - offsets[i]);
    }
    index.entries();
    index.to_bytes();
    index.thaw();
  } catch (const DamagedPayload&) {
  }
}

}  // namespace

TEST_CASE("a payload cut short or made longer is refused") {
  Random random(5);
  const std::vector<std::byte> whole = payload_of(random_pairs(300, random));
  for (std::size_t size = 0; size < whole.size(); size += 1 + random.below(40)) {
    const std::vector<std::byte> part(whole.begin(),
                                      whole.begin() + static_cast<std::ptrdiff_t>(size));
    CHECK_THROWS_AS(EntityIndex::open(part, false), DamagedPayload);
  }
  std::vector<std::byte> longer = whole;
  longer.resize(whole.size() + 8);
  CHECK_THROWS_AS(EntityIndex::open(longer, false), DamagedPayload);
}

TEST_CASE("an altered payload is refused or answers wrongly, and never reads outside itself") {
  Random random(6);
  const std::vector<std::byte> whole = payload_of(random_pairs(300, random));
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::byte> altered = whole;
    for (std::uint32_t flips = 1 + random.below(8); flips > 0; --flips) {
      const std::size_t area = random.below(3) == 0 ? 64 : altered.size();  // often the header
      altered[random.below(area)] ^= static_cast<std::byte>(1U << random.below(8));
    }
    use(altered, random);
  }
  for (int round = 0; round < 300; ++round) {  // sound header, noise behind it
    std::vector<std::byte> altered = whole;
    for (std::size_t i = 64; i < altered.size(); ++i) {
      altered[i] = static_cast<std::byte>(random.next());
    }
    use(altered, random);
  }
}

TEST_CASE("a payload that says it has layout 1, altered or not, is never read outside either") {
  Random random(9);
  Pairs pairs;
  for (Key key = 0; key < 100; ++key) {  // 32 buckets, a power of two as that layout has
    for (AbstractId id = 0; id <= key % 3; ++id) {
      pairs.keys.push_back(key);
      pairs.abstracts.push_back(id);
    }
  }
  std::vector<std::byte> whole = payload_of(pairs);
  whole[8] = std::byte{1};
  CHECK(EntityIndex::open(whole, false).size() == 100);
  CHECK(EntityIndex::open(whole, false).to_bytes().bytes()[8] == std::byte{2});
  use(whole, random);
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::byte> altered = whole;
    for (std::uint32_t flips = 1 + random.below(8); flips > 0; --flips) {
      altered[64 + random.below(altered.size() - 64)] ^=
          static_cast<std::byte>(1U << random.below(8));
    }
    use(altered, random);
  }
  whole[32] = std::byte{31};
  CHECK_THROWS_AS(EntityIndex::open(whole, false), DamagedPayload);
}

TEST_CASE("entries of an altered payload come out whole or not at all, and so they are merged") {
  Random random(8);
  const Pairs pairs = random_pairs(300, random);
  const std::vector<std::byte> whole = payload_of(pairs);
  IdList map(50);
  std::iota(map.begin(), map.end(), 0U);
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::byte> altered = whole;
    altered[64 + random.below(altered.size() - 64)] ^=
        static_cast<std::byte>(1U << random.below(8));
    const EntityIndex index = EntityIndex::open(altered, false);
    const auto merged = [&] {
      return EntityIndex::merge(std::vector<const EntityIndex*>{&index},
                                std::vector<Renumbering>{map});
    };
    Entries all;
    try {
      all = index.entries();
    } catch (const DamagedPayload&) {
      CHECK_THROWS_AS(merged(), DamagedPayload);
      continue;
    }
    CHECK(all.offsets.back() == all.ids.size());
    for (std::size_t e = 0; e < all.keys.size(); ++e) {
      CHECK((e == 0 || all.keys[e - 1] < all.keys[e]));
      const auto ids = all.ids_of(e);
      REQUIRE_FALSE(ids.empty());
      CHECK(std::adjacent_find(ids.begin(), ids.end(), std::greater_equal<>()) == ids.end());
      CHECK(ids.back() <= kMaxAbstract);
    }
    if (std::ranges::max(all.ids) < map.size()) {
      CHECK(merged().entries().ids == all.ids);
    } else {
      CHECK_THROWS_AS(merged(), DamagedPayload);
    }
  }
}

TEST_CASE("a payload at an odd address, of another kind or of a later layout is refused") {
  const std::vector<std::byte> whole = payload_of({{1}, {1}});
  std::vector<std::byte> shifted(whole.size() + 1);
  std::copy(whole.begin(), whole.end(), shifted.begin() + 1);
  CHECK_THROWS_AS(EntityIndex::open(std::span(shifted).subspan(1), false), DamagedPayload);
  std::vector<std::byte> other = whole;
  other[0] ^= std::byte{1};
  CHECK_THROWS_AS(EntityIndex::open(other, false), DamagedPayload);
  std::vector<std::byte> later = whole;
  later[8] = std::byte{3};
  CHECK_THROWS_WITH_AS(EntityIndex::open(later, false),
                       "entity index payload has layout 3; this release reads layout 2",
                       DamagedPayload);
}

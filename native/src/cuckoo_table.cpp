#include "bridge/cuckoo_table.h"

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>
#include <string>
#include <utility>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "atomics.h"
#include "batch.h"

namespace bridge {
namespace {

constexpr int kKickBudget = 500;
constexpr double kMadeLoad = 0.8;     // of a table made for its entities: four in five stand first
constexpr double kMaxLoad = 0.96;     // above it kicks become many
constexpr double kCrowdedLoad = 0.5;  // below it doubling is no cure

constexpr Bucket kEmptyBucket = {{}, {}, {kNoList, kNoList, kNoList, kNoList}};

// Throws std::length_error for more buckets than a `Shape` may have.
std::size_t allowed(std::size_t buckets) {
  if (buckets >= std::uint64_t{1} << 32) {
    throw std::length_error("a table of " + std::to_string(buckets) +
                            " buckets; it must have fewer than 2^32, so use more segments");
  }
  return buckets;
}

std::size_t buckets_for(std::size_t entities) {
  const double slots = static_cast<double>(entities) / kMadeLoad;
  return allowed(2 * (static_cast<std::size_t>(slots) / (2 * kBucketSlots) + 1));
}

std::uint32_t fingerprint_of(std::uint32_t mark) { return mark & ((1U << kFingerprintBits) - 1); }

bool by_key(const Slot& slot, Key key) { return slot.key < key; }

// Which slots of a bucket hold `key`, one bit a slot; an empty slot may pass for key 0.
std::uint32_t slots_with(const Bucket& bucket, Key key) {
#if defined(__SSE2__)
  const auto* keys = reinterpret_cast<const __m128i*>(bucket.keys);
  const __m128i wanted = _mm_set1_epi64x(static_cast<std::int64_t>(key));
  const auto front = _mm_castsi128_ps(_mm_cmpeq_epi32(_mm_load_si128(keys), wanted));
  const auto back = _mm_castsi128_ps(_mm_cmpeq_epi32(_mm_load_si128(keys + 1), wanted));
  const __m128 low = _mm_shuffle_ps(front, back, _MM_SHUFFLE(2, 0, 2, 0));
  const __m128 high = _mm_shuffle_ps(front, back, _MM_SHUFFLE(3, 1, 3, 1));
  return static_cast<std::uint32_t>(_mm_movemask_ps(_mm_and_ps(low, high)));
#else
  std::uint32_t slots = 0;
  for (std::size_t s = 0; s < kBucketSlots; ++s) {
    slots |= static_cast<std::uint32_t>(bucket.keys[s] == key) << s;
  }
  return slots;
#endif
}

// Which slots of a bucket hold an entity with a fingerprint, one bit a slot.
std::uint32_t slots_like(const Bucket& bucket, std::uint32_t fingerprint) {
  std::uint32_t slots = 0;
  for (std::size_t s = 0; s < kBucketSlots; ++s) {
    const bool like = fingerprint_of(relaxed_load(bucket.marks[s])) == fingerprint;
    slots |= static_cast<std::uint32_t>(like & (bucket.lists[s] != kNoList)) << s;
  }
  return slots;
}

}  // namespace

// ---- view

Place CuckooView::find(Key key, bool verify) const {
  const Address where = address(key, shape());
  fetch(&buckets_[where.second]);  // while the first is read
  for (const std::size_t at : {where.first, where.second}) {
    Bucket& bucket = buckets_[at];
    for (std::size_t s = 0; s < kBucketSlots; ++s) {
      const bool same = verify ? bucket.keys[s] == key
                               : fingerprint_of(relaxed_load(bucket.marks[s])) == where.fingerprint;
      if (same && bucket.lists[s] != kNoList) {
        return {&bucket.marks[s], &bucket.lists[s]};
      }
    }
    if (verify && ends_search(buckets_[where.first])) {
      return {};
    }
  }
  if (!stash_.empty()) {
    const auto slot = std::lower_bound(stash_.begin(), stash_.end(), key, by_key);
    if (slot != stash_.end() && slot->key == key) {
      return {&slot->mark, &slot->list};
    }
  }
  return {};
}

void CuckooView::find_lists(std::span<const Key> keys, bool verify,
                            std::span<ListHandle> lists) const {
  verify ? find_all<true>(keys, lists) : find_all<false>(keys, lists);
}

// Each key takes three steps, `kApart` keys from one to the next, so that its bucket is on its way
// while others take theirs: its first bucket is asked for; then the second, where the entity may be
// there; then its list is read. The steps do not branch on what they find: a wrong guess
// costs as much as the reading itself.
template <bool verify>
void CuckooView::find_all(std::span<const Key> keys, std::span<ListHandle> lists) const {
  constexpr std::size_t kApart = 32, kRing = 2 * kApart;
  std::array<Address, kRing> ring;
  const bool stashed = !stash_.empty();
  const Bucket* const buckets = buckets_.data();
  const Shape shape = this->shape();
  const auto match = [](const Bucket& bucket, Key key, std::uint32_t fingerprint) {
    return verify ? slots_with(bucket, key) : slots_like(bucket, fingerprint);
  };
  const auto ask_first = [&](std::size_t i) {
    Address& where = ring[i % kRing];
    where = address(keys[i], shape);
    fetch(&buckets[where.first]);
  };
  const auto ask_second = [&](std::size_t i) {
    Address& where = ring[i % kRing];
    const Bucket& first = buckets[where.first];
    const bool here = match(first, keys[i], where.fingerprint) != 0;
    const bool stays = here | (verify & ends_search(first));
    where.second ^= if_so(stays, where.first ^ where.second);
    fetch(&buckets[where.second]);
  };
  const auto read = [&](std::size_t i) {
    const Address& where = ring[i % kRing];
    const Bucket& bucket = buckets[where.second];
    const std::uint32_t slots = match(bucket, keys[i], where.fingerprint);
    const int slot = std::countr_zero(slots | 1U << (kBucketSlots - 1));
    lists[i] = bucket.lists[slot] | (static_cast<ListHandle>(slots != 0) - 1);
    if ((stashed || keys[i] == 0) && lists[i] == kNoList) {
      const Place place = find(keys[i], verify);
      lists[i] = place ? *place.list : kNoList;
    }
  };
  for (std::size_t i = 0; i < keys.size() + kRing; ++i) {
    if (i >= kRing) {
      read(i - kRing);
    }
    if (i >= kApart && i < keys.size() + kApart) {
      ask_second(i - kApart);
    }
    if (i < keys.size()) {
      ask_first(i);
    }
  }
}

void CuckooView::prefetch(Key key) const {
  const Address where = address(key, shape());
  fetch(&buckets_[where.first]);
  fetch(&buckets_[where.second]);
}

void CuckooView::reorder() const {
  for (Bucket& bucket : buckets_) {
    for (std::size_t s = 1; s < kBucketSlots; ++s) {  // insertion sort: stable, and four slots
      const Slot slot = bucket.get(s);
      if (slot.list == kNoList) {
        continue;
      }
      std::size_t to = s;
      while (to > 0 && (bucket.lists[to - 1] == kNoList ||
                        temperature_of(bucket.marks[to - 1]) < temperature_of(slot.mark))) {
        bucket.set(to, bucket.get(to - 1));
        --to;
      }
      bucket.set(to, slot);
    }
  }
}

void heat(std::uint32_t& mark) {
  std::uint32_t seen = relaxed_load(mark);
  while (temperature_of(seen) < kMaxTemperature &&
         !relaxed_exchange(mark, seen, seen + (1U << kFingerprintBits))) {
  }
}

// ---- table

CuckooTable::CuckooTable(std::size_t entities) : buckets_(buckets_for(entities), kEmptyBucket) {}

void CuckooTable::insert(Key key, ListHandle list) {
  ++size_;
  if (load() > kMaxLoad) {
    grow();
  }
  const std::optional<Slot> left = settle({key, address(key, shape()).fingerprint, list});
  if (!left) {
    return;
  }
  stash(*left);
  if (load() >= kCrowdedLoad) {
    grow();
  }
}

void CuckooTable::erase(Key key) {
  --size_;
  const Address where = address(key, shape());
  for (const std::size_t at : {where.first, where.second}) {
    Bucket& bucket = buckets_[at];
    for (std::size_t s = 0; s < kBucketSlots; ++s) {
      if (bucket.lists[s] == kNoList || bucket.keys[s] != key) {
        continue;
      }
      bucket.set(s, {0, 0, kNoList});
      return;
    }
  }
  stash_.erase(std::lower_bound(stash_.begin(), stash_.end(), key, by_key));
}

double CuckooTable::load() const {
  return static_cast<double>(size_) / static_cast<double>(buckets_.size() * kBucketSlots);
}

// Finds the slot a home, moving others to their second bucket; returns who was left without one.
std::optional<Slot> CuckooTable::settle(Slot slot) {
  const Address where = address(slot.key, shape());
  if (put(where.first, slot) || put(where.second, slot)) {
    return std::nullopt;
  }
  std::size_t at = where.second;
  for (int kick = 0; kick < kKickBudget; ++kick) {
    const std::size_t victim = mix(++dice_) % kBucketSlots;
    const Slot moved = buckets_[at].get(victim);
    buckets_[at].set(victim, slot);
    slot = moved;
    at = partner(at, fingerprint_of(slot.mark), shape());
    if (put(at, slot)) {
      return std::nullopt;
    }
  }
  return slot;
}

bool CuckooTable::put(std::size_t at, const Slot& slot) {
  Bucket& bucket = buckets_[at];
  for (std::size_t s = 0; s < kBucketSlots; ++s) {
    if (bucket.lists[s] != kNoList) {
      continue;
    }
    bucket.set(s, slot);
    return true;
  }
  return false;
}

void CuckooTable::grow() {
  std::vector<Bucket> old(allowed(buckets_.size() * 2), kEmptyBucket);
  std::vector<Slot> old_stash;
  std::swap(old, buckets_);
  std::swap(old_stash, stash_);
  CuckooView(old, old_stash).for_each([this](const Slot& slot) {
    if (const std::optional<Slot> left = settle(slot)) {
      stash(*left);
    }
  });
}

void CuckooTable::stash(const Slot& slot) {
  stash_.insert(std::lower_bound(stash_.begin(), stash_.end(), slot.key, by_key), slot);
}

}  // namespace bridge

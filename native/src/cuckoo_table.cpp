#include "bridge/cuckoo_table.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

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

bool by_key(const Slot& slot, Key key) { return slot.key < key; }

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

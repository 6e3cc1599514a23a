// The cuckoo table behind the entity index: key -> list handle.          Bridge-RAG, appendix A
//
// An entity has a 12-bit fingerprint and two buckets of four slots. Either follows from the other
// and the fingerprint: they add up to h(fp), modulo the number of buckets, which need not be a
// power of two. A slot holds the fingerprint and the temperature (20 bits, saturating), the list
// handle, and the full key: it settles whether the slot is the entity's, and says where it belongs
// in a larger table. Four slots are one cache line of 64 bytes.
//
// Nothing is ever dropped. An insertion that the kick budget cannot settle doubles the table; where
// the table is less than half full, so that doubling is not the cure (nine keys that agree in all
// the bits used), the entity left over goes to the stash, a short list sorted by key.
//
// Threads: `find` and `heat` may run at once from many threads; everything else runs alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bridge/block_list.h"
#include "bridge/hash.h"

namespace bridge {

inline constexpr std::size_t kBucketSlots = 4;
inline constexpr unsigned kFingerprintBits = 12;
inline constexpr std::uint32_t kMaxTemperature = (1U << (32 - kFingerprintBits)) - 1;

// One entity. `mark` is its fingerprint in the low 12 bits, its temperature above.
struct Slot {
  Key key;
  std::uint32_t mark;
  ListHandle list;
};

// Four slots, field by field; a slot is empty while its list is `kNoList`.
struct Bucket {
  Key keys[kBucketSlots];
  std::uint32_t marks[kBucketSlots];
  ListHandle lists[kBucketSlots];

  Slot get(std::size_t slot) const { return {keys[slot], marks[slot], lists[slot]}; }
  void set(std::size_t slot, const Slot& value) {
    keys[slot] = value.key;
    marks[slot] = value.mark;
    lists[slot] = value.list;
  }
};
static_assert(sizeof(Slot) == 16 && sizeof(Bucket) == 64);

// How many buckets a table has, an even number below 2^32, and how they pair.
struct Shape {
  std::size_t buckets;
  bool by_xor = false;  // `second = first xor h(fp)`: payloads of layout 1, powers of two
};

// Where an entity may be.
struct Address {
  std::size_t first, second;
  std::uint32_t fingerprint;
};

// The other bucket of an entity that may be in bucket `at`. It is another one: the sum of the two
// is odd, and so is what they differ by where they pair by xor.
constexpr std::size_t partner(std::size_t at, std::uint32_t fingerprint, Shape shape) {
  const Key spread = (fingerprint + 1) * 0x9E3779B97F4A7C15ULL;
  if (shape.by_xor) {
    return at ^ ((static_cast<std::size_t>(spread >> 24) | 1) & (shape.buckets - 1));
  }
  const std::size_t sum = (spread >> 32) * (shape.buckets / 2) >> 32 << 1 | 1;
  const auto wraps = std::size_t{0} - std::size_t{sum < at};  // no branch: it would be even odds
  return sum - at + (wraps & shape.buckets);
}

constexpr Address address(Key key, Shape shape) {
  const Key bits = mix(key);  // keys may be any numbers, even 1, 2, 3
  const auto fingerprint = static_cast<std::uint32_t>(bits >> (64 - kFingerprintBits));
  const Key middle = bits >> (32 - kFingerprintBits) & 0xFFFFFFFF;  // next to the fingerprint
  const std::size_t first =
      shape.by_xor ? bits & (shape.buckets - 1) : middle * shape.buckets >> 32;
  return {first, partner(first, fingerprint, shape), fingerprint};
}

constexpr std::uint32_t fingerprint_of(std::uint32_t mark) {
  return mark & ((1U << kFingerprintBits) - 1);
}

constexpr std::uint32_t temperature_of(std::uint32_t mark) { return mark >> kFingerprintBits; }

// An entity found: where its mark and its list stand, or two null pointers.
struct Place {
  std::uint32_t* mark = nullptr;
  ListHandle* list = nullptr;
  explicit operator bool() const { return list != nullptr; }
};

// A table in memory that someone else owns, or that is mapped.
class CuckooView {
 public:
  CuckooView() = default;
  // Requires: as many buckets as a `Shape` may have. `filled` promises that nothing was ever taken
  // out: then an entity is outside its first bucket only where all slots of that are taken.
  CuckooView(std::span<Bucket> buckets, std::span<Slot> stash, bool by_xor = false,
             bool filled = false)
      : buckets_(buckets), stash_(stash), by_xor_(by_xor), filled_(filled) {}

  // The slot of `key`. Without `verify`, the first slot in reading order with its fingerprint. For
  // many keys `ListFinder` is faster.
  Place find(Key key, bool verify) const;

  // Asks memory for both buckets of `key`.
  void prefetch(Key key) const;

  // Sorts every bucket by falling temperature; equal ones stay as they are.
  void reorder() const;

  // Calls `visit(Slot)` for every entity.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (const Bucket& bucket : buckets_) {
      for (std::size_t s = 0; s < kBucketSlots; ++s) {
        if (bucket.lists[s] != kNoList) {
          visit(bucket.get(s));
        }
      }
    }
    for (const Slot& slot : stash_) {
      visit(slot);
    }
  }

  std::span<const Bucket> buckets() const { return buckets_; }
  std::span<const Slot> stash() const { return stash_; }

  Shape shape() const { return {buckets_.size(), by_xor_}; }
  bool filled() const { return filled_; }

 private:
  bool ends_search(const Bucket& first) const {
    return filled_ & (first.lists[kBucketSlots - 1] == kNoList);
  }
  std::span<Bucket> buckets_;
  std::span<Slot> stash_;
  bool by_xor_ = false, filled_ = false;
};

// Adds 1 to the temperature in a mark, up to `kMaxTemperature`; atomic, relaxed.
void heat(std::uint32_t& mark);

// The table while it grows.
class CuckooTable {
 public:
  // Room for `entities` of them without growing, as a rule.
  explicit CuckooTable(std::size_t entities = 0);

  // Requires: the key is not in the table yet, and the list is not `kNoList`.
  void insert(Key key, ListHandle list);

  // Requires: `find` gave the key a place.
  void erase(Key key);

  // Valid until the next `insert` or `erase`.
  CuckooView view() { return {buckets_, stash_}; }
  std::size_t size() const { return size_; }

 private:
  Shape shape() const { return {buckets_.size()}; }
  double load() const;
  std::optional<Slot> settle(Slot slot);
  bool put(std::size_t bucket, const Slot& slot);
  void grow();
  void stash(const Slot& slot);

  std::vector<Bucket> buckets_;
  std::vector<Slot> stash_;
  std::size_t size_ = 0;
  Key dice_ = 0;
};

}  // namespace bridge

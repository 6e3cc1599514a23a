// The payload of an entity index: header, buckets, stash, runs.
//
// header   64 bytes, below
// buckets  64 bytes each: four keys (u64), four marks (u32), four list handles (u32)
// stash    16 bytes each, by ascending key: key (u64), mark (u32), list handle (u32)
// runs     u32: for each list of two ids or more, by ascending key: its length, then its ids
//
// A mark is the fingerprint in the low 12 bits and the temperature above. A list handle is an id
// with the top bit set, the place of a run in the runs section, or 0xFFFFFFFF for an empty slot.
//
// Layout 2 is written. Layout 1, which differs by how buckets pair, is read (`Shape::by_xor`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "bridge/cuckoo_table.h"
#include "bridge/entity_index.h"
#include "bridge/sink.h"
#include "bridge/wire.h"

namespace bridge {

struct EntityHeader {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t verify;  // 0 or 1
  std::uint64_t entities, pairs;
  std::uint64_t buckets;  // even; in layout 1 a power of two
  std::uint64_t stashed;
  std::uint64_t run_numbers;  // of the runs section, u32 each
  std::uint64_t reserved;
};
static_assert(sizeof(EntityHeader) == 64);

// A payload's sections, in place.
struct EntityPayload {
  bool verify;
  std::size_t entities, pairs;
  CuckooView table;
  std::span<const std::uint32_t> runs;
};

// Entities that can be gone through more than once.
class EntitySource {
 public:
  using Visit = std::function<void(Key, std::span<const AbstractId>)>;
  virtual ~EntitySource() = default;

  // Calls `visit(key, ids)` for every entity, keys ascending, ids too; none is without ids.
  virtual void for_each(const Visit& visit) const = 0;
};

// Writes the canonical payload: a fresh table, filled in key order; returns how many entities it
// has. Goes through the entities twice, and a third time where the table is crowded. Memory: the
// table, 20 bytes an entity. Throws DamagedPayload where the source does not repeat itself.
std::size_t pack_entities(const EntitySource& source, bool verify, Sink& sink);
Image pack_entities(const Entries& entries, bool verify);

// Throws DamagedPayload. The table may be changed only if the payload is writable.
EntityPayload open_entities(std::span<const std::byte> payload);

}  // namespace bridge

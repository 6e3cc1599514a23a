// The entity index: entity key -> abstract ids, in a cuckoo table.       Bridge-RAG, appendix A
//
// An index is either growing (made empty; `add`, `remove` and `discard` work) or packed (built from
// all its pairs at once, or opened over a payload; only temperatures change). `thaw` makes a
// growing copy of any index.
//
// Exactness. With `verify` an answer is exact: the 64-bit key in the slot is compared. Without it
// a lookup answers as the paper's filter does, with the first slot that has the entity's 12-bit
// fingerprint: a key that is absent is answered with the list of another entity in about
// 8 * load / 4096 of the cases, and a stored key that shares fingerprint and bucket with another
// may be answered with the other's list. Changes always compare the full key, so even then no pair
// is lost or given to another entity: `entries` and `thaw` show all of them exactly.
//
// Memory:  16 bytes a slot, 20 bytes an entity (packed), 17 to 34 while it grows; a list of one id
//          takes no more, a longer one 4 bytes an id and 4 (packed) or 32 bytes a block of six.
// Threads: `lookup*`, `temperature`, `entries`, `to_bytes` and `touch` may run at once from many
//          threads; `reorder` and every change run alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "bridge/block_list.h"
#include "bridge/cuckoo_table.h"
#include "bridge/hash.h"
#include "bridge/huge_pages.h"
#include "bridge/renumber.h"
#include "bridge/sink.h"
#include "bridge/wire.h"

namespace bridge {

// Every entity once, keys ascending; entity e has ids[offsets[e] .. offsets[e + 1]), ascending.
struct Entries {
  std::vector<Key> keys;
  std::vector<std::uint64_t> offsets{0};
  std::vector<AbstractId> ids;

  std::span<const AbstractId> ids_of(std::size_t e) const {
    return std::span(ids).subspan(offsets[e], offsets[e + 1] - offsets[e]);
  }
};

// A change was asked of a packed index.
struct PackedIndex : std::logic_error {
  using std::logic_error::logic_error;
};

class EntityIndex {
 public:
  explicit EntityIndex(bool verify = true) : verify_(verify) {}

  // A packed index of the pairs (keys[i], abstracts[i]), in any order, repeats counting once.
  // Requires: equal lengths. Throws std::out_of_range for an id above kMaxAbstract.
  static EntityIndex build(std::span<const Key> keys, std::span<const AbstractId> abstracts,
                           bool verify = true);

  // A packed index of what all parts hold, abstract a of part i under the number maps[i][a]: byte
  // for byte what `build` makes of the abstracts that are kept; an entity that has none left is
  // left out. Throws std::invalid_argument by `count_kept`; std::out_of_range for new ids above
  // kMaxAbstract; DamagedPayload by `entries`, or where a part holds an abstract that its map
  // lacks. Requires: |parts| == |maps|. Cost: sorts all entities, twice where they are many.
  // Memory: the table twice, the lists once, and 2 bytes an entity of the parts or 4 MiB,
  // whichever is more.
  static EntityIndex merge(std::span<const EntityIndex* const> parts,
                           std::span<const Renumbering> maps, bool verify = true);

  // Gives the payload of the same to a sink; returns how many entities it has. Memory: the table
  // once, and no lists.
  static std::size_t merge(std::span<const EntityIndex* const> parts,
                           std::span<const Renumbering> maps, bool verify, Sink& sink);

  // A packed index over a payload of `to_bytes`, used in place: the bytes must outlive it. Its
  // size and every offset are checked, here or when followed; an altered payload may give wrong
  // answers, never a read outside it. Throws DamagedPayload.
  // Temperatures live in the payload; where it is not `writable`, `touch` and `reorder` do nothing.
  static EntityIndex open(std::span<const std::byte> payload, bool writable);

  // The same pairs give the same bytes, whatever the order of adding; temperatures are left out.
  Image to_bytes() const;

  // A growing index of the same pairs, temperatures at zero.
  EntityIndex thaw() const;

  // Adds, takes out one pair, takes out an entity; says whether that changed anything (`remove`:
  // how many pairs went). Throws PackedIndex; std::out_of_range for an id above kMaxAbstract.
  bool add(Key key, AbstractId abstract);
  bool discard(Key key, AbstractId abstract);
  std::size_t remove(Key key);

  // Appends the entity's abstracts, ascending; says whether it is known.
  bool lookup(Key key, std::vector<AbstractId>& out) const;

  // The same for many keys: appends to `ids`, and sets offsets[i] .. offsets[i + 1] to the part of
  // keys[i]. Requires: |offsets| == |keys| + 1.
  void lookup_many(std::span<const Key> keys, std::span<std::uint64_t> offsets,
                   LargeVector<AbstractId>& ids) const;

  // How many abstracts each of many keys has; 0 for one that is unknown. Copies no list.
  // Requires: |counts| == |keys|.
  void count_many(std::span<const Key> keys, std::span<std::uint32_t> counts) const;

  // Heats the slot a lookup of `key` would answer from; says whether there is one.
  bool touch(Key key);
  std::uint32_t temperature(Key key) const;  // 0 when unknown
  // Sorts every bucket by falling temperature.
  void reorder();

  // Everything that is stored. Throws DamagedPayload when an altered payload has an entity twice or
  // without abstracts, ids that do not ascend or are above kMaxAbstract, or another number of
  // entities or pairs than it says; so do `to_bytes` and `thaw`.
  Entries entries() const;

  std::size_t size() const { return packed_ ? size_ : table_.size(); }
  std::size_t pairs() const { return pairs_; }
  double load() const;
  std::size_t size_bytes() const;
  bool verify() const { return verify_; }
  bool packed() const { return packed_; }

 private:
  friend class MergedEntities;
  void expect_growing(const char* verb) const;
  CuckooView view() const;
  std::span<const AbstractId> run(ListHandle list) const;
  bool in_runs(ListHandle list) const { return packed_ && !(list & kInline); }
  std::size_t size_of(ListHandle list) const;
  AbstractId* copy(ListHandle list, AbstractId* to) const;
  void append(ListHandle list, std::vector<AbstractId>& out) const;
  static EntityIndex own(Image image);
  template <typename Visit>
  void in_blocks(std::span<const Key> keys, Visit visit) const;

  bool verify_ = true;
  std::size_t pairs_ = 0;

  // growing
  mutable CuckooTable table_;  // mutable for its view, which `lookup` only reads
  BlockPool pool_;

  // packed
  bool packed_ = false, writable_ = false;
  Image image_{0};  // what `build` made; empty when the payload is someone else's
  std::size_t size_ = 0, payload_bytes_ = 0;
  CuckooView packed_view_;
  std::span<const std::uint32_t> runs_;  // a longer list is its length and its ids, one run
};

}  // namespace bridge

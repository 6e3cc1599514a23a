// Opens any bytes as an entity index and asks it everything.
#include "bridge/entity_index.h"
#include "fuzz.h"

using namespace bridge;

namespace {

// Entries that come out at all are whole: they build an index that holds the same.
void expect_whole(const EntityIndex& index, const Entries& all) {
  const Entries again = EntityIndex::open(index.to_bytes().bytes(), false).entries();
  if (again.keys != all.keys || again.offsets != all.offsets || again.ids != all.ids) {
    __builtin_trap();
  }
}

void change(EntityIndex grown, std::span<const Key> keys) {
  for (const Key key : keys) {
    grown.add(key, static_cast<AbstractId>(key) & 0xFFFF);
    grown.discard(key, 1);
  }
  for (const Key key : keys) {
    grown.remove(key);
  }
}

void merge(const EntityIndex& index, const Entries& all) {
  AbstractId highest = 0;
  for (const AbstractId id : all.ids) {
    highest = std::max(highest, id);
  }
  if (highest >= 1U << 16) {
    return;  // a map of that length says nothing new
  }
  const auto map = fuzz::renumbering(highest + 1, 0);
  const auto kept = static_cast<std::uint32_t>(map.size() - map.size() / 3);
  const auto other = fuzz::renumbering(highest + 1, kept);
  const EntityIndex* parts[] = {&index, &index};
  const Renumbering maps[] = {map, other};
  EntityIndex::merge(parts, maps).entries();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::byte> payload = fuzz::copy(data, size);
  try {
    EntityIndex index = EntityIndex::open(payload, true);
    const auto keys = fuzz::numbers<Key>(payload, 64);
    std::vector<std::uint64_t> offsets(keys.size() + 1);
    std::vector<std::uint32_t> counts(keys.size());
    std::vector<AbstractId> ids;
    for (const Key key : keys) {
      index.touch(key);
      index.temperature(key);
      index.lookup(key, ids);
    }
    index.reorder();
    LargeVector<AbstractId> all_ids;
    index.lookup_many(keys, offsets, all_ids);
    index.count_many(keys, counts);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (offsets[i + 1] - offsets[i] != counts[i]) {
        __builtin_trap();
      }
    }
    const Entries all = index.entries();
    expect_whole(index, all);
    change(index.thaw(), keys);
    merge(index, all);
  } catch (const DamagedPayload&) {
  }
  return 0;
}

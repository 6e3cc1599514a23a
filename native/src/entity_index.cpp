#include "bridge/entity_index.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <string>
#include <utility>

#include "batch.h"
#include "bridge/list_finder.h"
#include "entity_merge.h"
#include "entity_payload.h"

namespace bridge {
namespace {

constexpr std::size_t kFew = 4;      // ids that are copied together; most lists have no more
constexpr std::size_t kRoom = 1024;  // ids for which room is made at once
constexpr std::array<std::uint32_t, kFew + 1> kNoIds{};
constexpr std::span<const std::uint32_t> kNoRuns = kNoIds;  // can be read, if only for nothing

// Where ids start that have room for `more` behind the first `end`.
AbstractId* room_for(std::size_t more, LargeVector<AbstractId>& ids, std::size_t end) {
  if (ids.size() < end + more) {
    ids.resize(end + more + kRoom);
  }
  return ids.data();
}

void expect_abstract(AbstractId id) {
  if (id > kMaxAbstract) {
    throw std::out_of_range("abstract id is " + std::to_string(id) + "; the highest is " +
                            std::to_string(kMaxAbstract));
  }
}

Entries sorted_entries(std::span<const Key> keys, std::span<const AbstractId> abstracts) {
  struct Pair {
    Key key;
    AbstractId abstract;
    auto operator<=>(const Pair&) const = default;
  };
  std::vector<Pair> pairs(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    expect_abstract(abstracts[i]);
    pairs[i] = {keys[i], abstracts[i]};
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());

  Entries entries;
  entries.ids.reserve(pairs.size());
  for (const Pair& pair : pairs) {
    if (entries.keys.empty() || entries.keys.back() != pair.key) {
      entries.keys.push_back(pair.key);
      entries.offsets.push_back(entries.offsets.back());
    }
    entries.ids.push_back(pair.abstract);
    ++entries.offsets.back();
  }
  return entries;
}

}  // namespace

// ---- making one

EntityIndex EntityIndex::build(std::span<const Key> keys, std::span<const AbstractId> abstracts,
                               bool verify) {
  return own(pack_entities(sorted_entries(keys, abstracts), verify));
}

EntityIndex EntityIndex::merge(std::span<const EntityIndex* const> parts,
                               std::span<const Renumbering> maps, bool verify) {
  ImageSink sink;
  merge(parts, maps, verify, sink);
  return own(sink.take());
}

std::size_t EntityIndex::merge(std::span<const EntityIndex* const> parts,
                               std::span<const Renumbering> maps, bool verify, Sink& sink) {
  if (const std::uint32_t kept = count_kept(maps)) {
    expect_abstract(kept - 1);
  }
  Pace pace(sink);
  return pack_entities(MergedEntities(parts, maps, pace), verify, sink);
}

// An index over a payload of its own.
EntityIndex EntityIndex::own(Image image) {
  EntityIndex index = open(image.bytes(), true);
  index.image_ = std::move(image);  // moving it does not move its bytes
  return index;
}

EntityIndex EntityIndex::open(std::span<const std::byte> payload, bool writable) {
  const EntityPayload sections = open_entities(payload);
  EntityIndex index(sections.verify);
  index.packed_ = true;
  index.writable_ = writable;
  index.size_ = sections.entities;
  index.pairs_ = sections.pairs;
  index.payload_bytes_ = payload.size();
  index.packed_view_ = sections.table;
  index.runs_ = sections.runs.empty() ? kNoRuns : sections.runs;
  return index;
}

Image EntityIndex::to_bytes() const { return pack_entities(entries(), verify_); }

EntityIndex EntityIndex::thaw() const {
  const Entries all = entries();
  EntityIndex index(verify_);
  index.table_ = CuckooTable(all.keys.size());
  for (std::size_t e = 0; e < all.keys.size(); ++e) {
    for (const AbstractId id : all.ids_of(e)) {
      index.add(all.keys[e], id);
    }
  }
  return index;
}

// ---- changing it

bool EntityIndex::add(Key key, AbstractId abstract) {
  expect_growing("add");
  expect_abstract(abstract);
  bool added = true;
  if (const Place place = table_.view().find(key, true)) {
    added = pool_.add(*place.list, abstract);
  } else {
    table_.insert(key, kInline | abstract);
  }
  pairs_ += added;
  return added;
}

bool EntityIndex::discard(Key key, AbstractId abstract) {
  expect_growing("discard");
  const Place place = table_.view().find(key, true);
  if (!place) {
    return false;
  }
  ListHandle list = *place.list;
  if (!pool_.discard(list, abstract)) {
    return false;
  }
  --pairs_;
  if (list == kNoList) {
    table_.erase(key);
  } else {
    *place.list = list;
  }
  return true;
}

std::size_t EntityIndex::remove(Key key) {
  expect_growing("remove");
  const Place place = table_.view().find(key, true);
  if (!place) {
    return 0;
  }
  ListHandle list = *place.list;
  const std::size_t removed = pool_.clear(list);
  table_.erase(key);
  pairs_ -= removed;
  return removed;
}

void EntityIndex::expect_growing(const char* verb) const {
  if (!packed_) {
    return;
  }
  throw PackedIndex(std::string("`") + verb +
                    "` was called on a packed index, which never changes; thaw() gives a copy "
                    "that does");
}

// ---- asking it

bool EntityIndex::lookup(Key key, std::vector<AbstractId>& out) const {
  const Place place = view().find(key, verify_);
  if (place) {
    append(*place.list, out);
  }
  return static_cast<bool>(place);
}

// A list of few ids is copied as `kFew` numbers, wherever it stands, and the next one begins where
// its own ids end. The only branch is on lists that are long or at the end of the runs: both rare.
void EntityIndex::lookup_many(std::span<const Key> keys, std::span<std::uint64_t> offsets,
                              LargeVector<AbstractId>& ids) const {
  const std::size_t mean = pairs_ / std::max<std::size_t>(1, size()) + 1;
  const std::size_t likely = std::min(keys.size() * mean, pairs_ + keys.size() * kFew);
  ids.reserve(ids.size() + likely + kRoom);
  const bool some = runs_.size() > kFew;
  const std::uint32_t* const runs = (some ? runs_ : kNoRuns).data();
  const std::size_t safe = some ? runs_.size() - kFew : 0;  // from there on too few numbers follow
  std::size_t end = offsets[0] = ids.size();
  in_blocks(keys, [&](std::size_t start, std::span<const ListHandle> lists) {
    std::uint64_t* const ends = offsets.data() + start + 1;
    std::size_t at = end;
    AbstractId* to = room_for(lists.size() * kFew, ids, at);
    for (std::size_t i = 0; i < lists.size(); ++i) {
      const ListHandle list = lists[i];
      const bool elsewhere = list < kInline, near = list < safe;
      const std::uint32_t* const run = runs + if_so(near, list);
      std::memcpy(to + at, run + 1, kFew * sizeof(AbstractId));
      to[at] =
          (list & ~kInline) ^ static_cast<AbstractId>(if_so(elsewhere, (list & ~kInline) ^ run[1]));
      std::size_t size =
          if_so(near, run[0]) + static_cast<std::size_t>(!elsewhere & (list != kNoList));
      if ((elsewhere & !near) | (size > kFew)) {
        size = size_of(list);
        to = room_for(size + lists.size() * kFew, ids, at);
        copy(list, to + at);
      }
      ends[i] = at += size;
    }
    end = at;
  });
  ids.resize(end);
}

void EntityIndex::count_many(std::span<const Key> keys, std::span<std::uint32_t> counts) const {
  in_blocks(keys, [&](std::size_t start, std::span<const ListHandle> lists) {
    for (std::size_t i = 0; i < lists.size(); ++i) {
      counts[start + i] = static_cast<std::uint32_t>(size_of(lists[i]));
    }
  });
}

// Calls `visit(start, lists of keys[start ..])` for block after block, their runs asked for.
template <typename Visit>
void EntityIndex::in_blocks(std::span<const Key> keys, Visit visit) const {
  ListFinder finder({view(), verify_, keys, runs_});
  std::size_t start = 0;
  for (auto lists = finder.next(); !lists.empty(); lists = finder.next()) {
    visit(start, lists);
    start += lists.size();
  }
}

bool EntityIndex::touch(Key key) {
  const Place place = view().find(key, verify_);
  if (place && (writable_ || !packed_)) {
    heat(*place.mark);
  }
  return static_cast<bool>(place);
}

std::uint32_t EntityIndex::temperature(Key key) const {
  const Place place = view().find(key, verify_);
  return place ? temperature_of(*place.mark) : 0;
}

void EntityIndex::reorder() {
  if (writable_ || !packed_) {
    view().reorder();
  }
}

Entries EntityIndex::entries() const {
  std::vector<Slot> slots;
  slots.reserve(size());
  view().for_each([&slots](const Slot& slot) { slots.push_back(slot); });
  std::sort(slots.begin(), slots.end(), [](const Slot& a, const Slot& b) { return a.key < b.key; });
  const auto expect = [](bool sound, const char* problem) {
    if (!sound) {
      throw DamagedPayload(std::string("entity index holds ") + problem);
    }
  };
  expect(slots.size() == size(), "more or fewer entities than it says");
  Entries all;
  all.keys.reserve(slots.size());
  all.offsets.reserve(slots.size() + 1);
  all.ids.reserve(pairs_);
  for (const Slot& slot : slots) {
    expect(all.keys.empty() || all.keys.back() != slot.key, "an entity twice");
    all.keys.push_back(slot.key);
    append(slot.list, all.ids);
    all.offsets.push_back(all.ids.size());
    expect(all.ids.size() <= pairs_, "more pairs than it says");
    const std::span<const AbstractId> ids = all.ids_of(all.keys.size() - 1);
    expect(!ids.empty(), "an entity without abstracts");
    expect(std::adjacent_find(ids.begin(), ids.end(), std::greater_equal<>()) == ids.end(),
           "ids that do not ascend");
    expect(ids.back() <= kMaxAbstract, "an id above the highest");
  }
  expect(all.ids.size() == pairs_, "fewer pairs than it says");
  return all;
}

double EntityIndex::load() const {
  return static_cast<double>(size()) / static_cast<double>(view().buckets().size() * kBucketSlots);
}

std::size_t EntityIndex::size_bytes() const {
  if (packed_) {
    return payload_bytes_;
  }
  const CuckooView table = view();
  return table.buckets().size_bytes() + table.stash().size_bytes() + pool_.size_bytes();
}

CuckooView EntityIndex::view() const { return packed_ ? packed_view_ : table_.view(); }

// The ids of a packed list of two or more; none where an altered handle leads outside.
std::span<const AbstractId> EntityIndex::run(ListHandle list) const {
  if (list >= runs_.size()) {
    return {};
  }
  const std::size_t count = runs_[list];
  if (count >= runs_.size() - list) {
    return {};
  }
  return runs_.subspan(list + 1, count);
}

// Without a branch on what a packed list is. As `run`, none where a handle leads outside.
std::size_t EntityIndex::size_of(ListHandle list) const {
  if (!packed_) {
    return pool_.size(list);
  }
  const bool inside = list < runs_.size();
  const std::size_t at = if_so(inside, list);
  const std::size_t ids = runs_[at];
  const bool only = (list >= kInline) & (list != kNoList);
  return if_so(inside & (ids < runs_.size() - at), ids) + static_cast<std::size_t>(only);
}

// Writes the ids, ascending, and returns where they end.
AbstractId* EntityIndex::copy(ListHandle list, AbstractId* to) const {
  return in_runs(list) ? std::ranges::copy(run(list), to).out : pool_.copy(list, to);
}

void EntityIndex::append(ListHandle list, std::vector<AbstractId>& out) const {
  const std::size_t before = out.size();
  out.resize(before + size_of(list));
  copy(list, out.data() + before);
}

}  // namespace bridge

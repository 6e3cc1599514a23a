#include "entity_merge.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <string>
#include <utility>

namespace bridge {
namespace {

constexpr std::size_t kRows = std::size_t{1} << 18;  // of a range, if there are few ranges: 4 MiB
constexpr std::size_t kMostRanges = 8;               // each reads all tables once more
constexpr std::size_t kGroup = 8;                    // rows that are sorted together, about
constexpr std::size_t kPaceBuckets = 1024;

void expect(bool sound, const char* problem) {
  if (!sound) {
    throw DamagedPayload(std::string("entity index holds ") + problem);
  }
}

// The number that some first bits of a key make.
constexpr std::size_t first_bits(Key key, int bits) { return key >> 1 >> (63 - bits); }

}  // namespace

MergedEntities::MergedEntities(std::span<const EntityIndex* const> parts,
                               std::span<const Renumbering> maps, Pace& pace)
    : parts_(parts), maps_(maps), pace_(pace) {
  std::size_t all = 0;
  for (const EntityIndex* part : parts) {
    all += part->size();
  }
  ranges_ = std::min(std::bit_ceil((all + kRows - 1) / kRows), kMostRanges);
  rows_.reserve(all / ranges_ + all / ranges_ / 16);
}

void MergedEntities::for_each(const Visit& visit) const {
  std::vector<AbstractId> kept;
  std::vector<std::size_t> entities(parts_.size()), pairs(parts_.size());
  for (std::size_t range = 0; range < ranges_; ++range) {
    gather(range);
    for (std::size_t i = 0; i < rows_.size();) {
      const Key key = rows_[i].key;
      const std::size_t first = i;
      kept.clear();
      for (; i < rows_.size() && rows_[i].key == key; ++i) {
        const std::uint32_t part = rows_[i].part;
        expect(i == first || part != rows_[i - 1].part, "an entity twice");
        const std::span<const AbstractId> ids = ids_of(part, rows_[i].list);
        append_kept(ids, maps_[part], kept);
        ++entities[part];
        pairs[part] += ids.size();
        expect(pairs[part] <= parts_[part]->pairs(), "more pairs than it says");
      }
      if (!std::is_sorted(kept.begin(), kept.end())) {
        std::sort(kept.begin(), kept.end());
      }
      if (!kept.empty()) {
        visit(key, kept);
      }
    }
  }
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    expect(entities[part] == parts_[part]->size(), "more or fewer entities than it says");
    expect(pairs[part] == parts_[part]->pairs(), "fewer pairs than it says");
  }
}

// Collects the entities of a range of keys, sorted, unless they are at hand.
void MergedEntities::gather(std::size_t range) const {
  if (gathered_ == range) {
    return;
  }
  gathered_ = range;
  rows_.clear();
  const int bits = std::countr_zero(ranges_);
  for (std::uint32_t part = 0; part < parts_.size(); ++part) {
    const auto take = [&](const Slot& slot) {
      if (first_bits(slot.key, bits) == range && slot.list != kNoList) {
        rows_.push_back({slot.key, part, slot.list});
      }
    };
    const CuckooView table = parts_[part]->view();
    for (std::size_t b = 0; b < table.buckets().size(); ++b) {
      for (std::size_t s = 0; s < kBucketSlots; ++s) {
        take(table.buckets()[b].get(s));
      }
      if (b % kPaceBuckets == 0) {
        pace_.read(kPaceBuckets * sizeof(Bucket));
      }
    }
    std::ranges::for_each(table.stash(), take);
  }
  sort_rows(bits);
}

// Sorts the rows, whose keys differ behind their first `bits`: those that agree in some bits more
// are brought together in place, then each few of them sorted. Half the time of sorting them all.
void MergedEntities::sort_rows(int bits) const {
  const auto more = static_cast<int>(std::bit_width(rows_.size() / kGroup));
  const auto group_of = [=](const Row& row) { return first_bits(row.key << bits, more); };
  std::vector<std::size_t> ends(std::size_t{1} << more);
  for (const Row& row : rows_) {
    ++ends[group_of(row)];
  }
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<std::size_t> next(ends.size());  // where the next row of a group goes
  std::copy(ends.begin(), ends.end() - 1, next.begin() + 1);
  std::size_t start = 0;
  for (std::size_t group = 0; group < ends.size(); ++group) {
    while (next[group] < ends[group]) {
      Row& row = rows_[next[group]];
      const std::size_t home = group_of(row);
      std::swap(row, rows_[next[home]++]);
    }
    std::ranges::sort(std::span(rows_).subspan(start, ends[group] - start), {},
                      [](const Row& row) { return std::pair(row.key, row.part); });
    start = ends[group];
  }
}

// The ids of a list of a part.
std::span<const AbstractId> MergedEntities::ids_of(std::uint32_t part, ListHandle list) const {
  if (parts_[part]->in_runs(list)) {
    return parts_[part]->run(list);
  }
  ids_.clear();
  parts_[part]->append(list, ids_);
  return ids_;
}

// Appends what the ids of a part become.
void MergedEntities::append_kept(std::span<const AbstractId> ids, Renumbering map,
                                 std::vector<AbstractId>& kept) const {
  expect(!ids.empty(), "an entity without abstracts");
  std::uint64_t least = 0;
  for (const AbstractId id : ids) {
    expect(id >= least, "ids that do not ascend");
    least = std::uint64_t{id} + 1;
    if (id >= map.size()) {
      throw DamagedPayload("entity index holds abstract " + std::to_string(id) + "; its map has " +
                           std::to_string(map.size()));
    }
    if (map[id] != kDropped) {
      kept.push_back(map[id]);
    }
  }
  pace_.read(ids.size_bytes());
}

}  // namespace bridge

#include "bridge/reach.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

namespace bridge {
namespace {

// The place of the part that holds `id`; `borders` are the parts' first ids, then the end.
std::size_t place_of(std::span<const std::uint32_t> borders, std::uint32_t id) {
  const auto above = std::upper_bound(borders.begin(), borders.end(), id);
  if (above == borders.end() || above == borders.begin()) {
    throw std::out_of_range("number " + std::to_string(id) + " is not in the segment, which has " +
                            std::to_string(borders.back()));
  }
  return static_cast<std::size_t>(above - borders.begin()) - 1;
}

// Drops the dead from one entity's abstracts; returns in how many documents the others are.
std::uint32_t keep_alive(const ReachSegment& segment, std::span<const AbstractId> found,
                         std::vector<AbstractId>& kept) {
  std::uint32_t documents = 0;
  std::uint32_t end = 0;  // of the document of the abstract before
  bool alive = false;
  for (const AbstractId abstract : found) {
    if (abstract >= end || documents == 0) {
      const std::size_t place = place_of(segment.first_abstract, abstract);
      alive = segment.alive.empty() || segment.alive[place] != 0;
      end = segment.first_abstract[place + 1];
      documents += alive;
    }
    if (alive) {
      kept.push_back(abstract);
    }
  }
  return documents;
}

// The live abstracts of each entity in one segment; adds to its documents and seeds.
SeedLists alive_of(const ReachSegment& segment, const SeedLists& found,
                   std::span<std::uint32_t> documents, std::span<std::size_t> seeds) {
  SeedLists kept;
  kept.offsets.reserve(found.offsets.size());
  kept.offsets.push_back(0);
  kept.ids.reserve(found.ids.size());
  for (std::size_t e = 0; e < documents.size(); ++e) {
    documents[e] += keep_alive(segment, found.of(e), kept.ids);
    seeds[e] += kept.ids.size() - kept.offsets.back();
    kept.offsets.push_back(kept.ids.size());
  }
  return kept;
}

void open_pools(std::span<const ReachSegment> segments, Reach& reach) {
  reach.expanded.clear();
  reach.pools.clear();
  reach.chunks = 0;
  std::vector<AbstractId> seeds;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    seeds.clear();
    for (std::size_t e = 0; e < reach.verdicts.size(); ++e) {
      if (reach.verdicts[e] == Verdict::followed) {
        const auto more = reach.seeds[i].of(e);
        seeds.insert(seeds.end(), more.begin(), more.end());
      }
    }
    reach.expanded.push_back(expand(segments[i].forest, seeds, reach.depth));
    reach.pools.push_back(pool(segments[i].forest, reach.expanded.back()));
    reach.chunks += reach.pools.back().size();
  }
}

// Follows those of `frequent`, rarest first, with which the pool is small enough. Where nothing at
// all would be followed, that is done at the largest smaller depth at which the rarest is. A pool
// grows with each entity and with depth, so both are found by halving.
class Follower {
 public:
  Follower(std::span<const ReachSegment> segments, std::span<const std::size_t> frequent,
           std::size_t most_chunks, Reach& reach)
      : segments_(segments), frequent_(frequent), most_chunks_(most_chunks), reach_(reach) {}

  void follow() {
    std::size_t count = longest();
    if (count == 0 && reach_.chunks == 0 && !frequent_.empty() && come_down()) {
      count = longest();
    }
    for (std::size_t i = count; i < frequent_.size(); ++i) {
      reach_.documents[frequent_[i]] = 0;
    }
  }

 private:
  // Opens the pools of the first `count`, and of those that are followed whatever they open.
  bool fits(std::size_t count) {
    for (std::size_t i = 0; i < frequent_.size(); ++i) {
      reach_.verdicts[frequent_[i]] = i < count ? Verdict::followed : Verdict::crowded;
    }
    open_pools(segments_, reach_);
    return reach_.chunks <= most_chunks_;
  }

  // Leaves the pools of the most that fit open, and returns how many those are.
  std::size_t longest() {
    if (fits(frequent_.size()) || frequent_.empty()) {
      return frequent_.size();
    }
    std::size_t good = 0, bad = frequent_.size();
    while (bad - good > 1) {
      const std::size_t middle = good + (bad - good) / 2;
      (fits(middle) ? good : bad) = middle;
    }
    fits(good);
    return good;
  }

  // Goes to the largest smaller depth at which the rarest fits; says whether there is one.
  bool come_down() {
    const std::uint32_t asked = reach_.depth;
    std::uint32_t good = 0, bad = asked;
    reach_.depth = 0;
    if (asked == 0 || !fits(1)) {
      reach_.depth = asked;
      fits(0);
      return false;
    }
    while (bad - good > 1) {
      reach_.depth = good + (bad - good) / 2;
      (fits(1) ? good : bad) = reach_.depth;
    }
    reach_.depth = good;
    return true;
  }

  std::span<const ReachSegment> segments_;
  std::span<const std::size_t> frequent_;
  std::size_t most_chunks_;
  Reach& reach_;
};

// Takes out the lists of entities that are not followed.
void forget_others(Reach& reach) {
  for (SeedLists& lists : reach.seeds) {
    std::size_t end = 0;
    for (std::size_t e = 0; e < reach.verdicts.size(); ++e) {
      const auto first = lists.ids.begin() + static_cast<std::ptrdiff_t>(lists.offsets[e]);
      const auto last = lists.ids.begin() + static_cast<std::ptrdiff_t>(lists.offsets[e + 1]);
      lists.offsets[e] = end;
      if (reach.verdicts[e] == Verdict::followed) {
        std::copy(first, last, lists.ids.begin() + static_cast<std::ptrdiff_t>(end));
        end += static_cast<std::size_t>(last - first);
      }
    }
    lists.offsets.back() = end;
    lists.ids.resize(end);
  }
}

}  // namespace

std::size_t dead_abstracts(const ReachSegment& segment) {
  std::size_t dead = 0;
  for (std::size_t place = 0; place < segment.alive.size(); ++place) {
    if (segment.alive[place] == 0) {
      dead += segment.first_abstract[place + 1] - segment.first_abstract[place];
    }
  }
  return dead;
}

bool any_alive(const ReachSegment& segment, std::span<const AbstractId> abstracts) {
  return std::any_of(abstracts.begin(), abstracts.end(), [&](AbstractId abstract) {
    const std::size_t place = place_of(segment.first_abstract, abstract);
    return segment.alive.empty() || segment.alive[place] != 0;
  });
}

Reach reach(std::span<const ReachSegment> segments, std::vector<SeedLists> found,
            std::span<const std::uint8_t> crowded, std::size_t documents, std::uint32_t depth,
            const ReachLimits& limits) {
  const std::size_t entities = crowded.size();
  Reach made;
  made.depth = depth;
  made.verdicts.resize(entities);
  made.documents.resize(entities);
  std::vector<std::size_t> seeds(entities);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    made.seeds.push_back(alive_of(segments[i], found[i], made.documents, seeds));
  }
  std::vector<std::size_t> frequent;  // those that may have to go, rarest first
  const double common = limits.common_share * static_cast<double>(documents);
  for (std::size_t e = 0; e < entities; ++e) {
    if (crowded[e] != 0 || seeds[e] > limits.most_chunks) {  // each seed owns chunks of its own
      made.verdicts[e] = Verdict::crowded;
      made.documents[e] = 0;
    } else if (made.documents[e] > limits.few_documents) {
      made.verdicts[e] = made.documents[e] > common ? Verdict::common : Verdict::followed;
      if (made.verdicts[e] == Verdict::followed) {
        frequent.push_back(e);
      }
    }
  }
  std::stable_sort(frequent.begin(), frequent.end(), [&](std::size_t a, std::size_t b) {
    return made.documents[a] < made.documents[b];
  });
  Follower(segments, frequent, limits.most_chunks, made).follow();
  forget_others(made);
  return made;
}

std::vector<Found> best(std::span<const ReachSegment> segments, const Reach& reach,
                        std::span<const float> query, std::size_t k) {
  std::vector<Found> found;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (reach.pools[i].empty()) {
      continue;
    }
    const Ranking ranking = rank(query, segments[i].rows, reach.pools[i], k);
    for (std::size_t j = 0; j < ranking.ids.size(); ++j) {
      found.push_back({static_cast<std::uint32_t>(i), ranking.ids[j], ranking.scores[j]});
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Found& a, const Found& b) { return a.score > b.score; });
  if (k == 0 || found.size() <= k) {
    return found;
  }
  const float last = found[k - 1].score;
  while (found.size() > k && found.back().score != last) {
    found.pop_back();
  }
  return found;
}

}  // namespace bridge

#include "bridge/lift.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace bridge {
namespace {

// Lifts from one level to the next; pairs ascend, each once, before and after.
class Level {
 public:
  Level(const LiftForest& forest, double share, unsigned level)
      : forest_(forest), share_(share), level_(level) {}

  // Whether anything was lifted.
  bool lift(std::vector<EntityPair>& pairs) {
    lifted_.clear();
    stays_.clear();
    for (std::size_t i = 0; i < pairs.size();) {
      i = entity(pairs, i);
    }
    if (lifted_.empty()) {
      return false;
    }
    pairs.clear();
    std::ranges::set_union(stays_, lifted_, std::back_inserter(pairs));
    return true;
  }

 private:
  // Goes through the pairs of one entity; returns where the next one's start. Those of one parent
  // follow one another among those of this level.
  std::size_t entity(const std::vector<EntityPair>& pairs, std::size_t first) {
    const Key key = pairs[first].first;
    std::size_t i = first;
    run_ = {};
    for (; i < pairs.size() && pairs[i].first == key; ++i) {
      const std::uint32_t abstract = pairs[i].second;
      if (forest_.level[abstract] != level_) {
        stays_.push_back(pairs[i]);
        continue;
      }
      if (run_.empty() || forest_.parent[abstract] != forest_.parent[run_.front().second]) {
        end_run();
      }
      run_.push_back(pairs[i]);
    }
    end_run();
    std::sort(stays_.begin() + static_cast<std::ptrdiff_t>(begun_), stays_.end());
    begun_ = stays_.size();
    return i;
  }

  void end_run() {
    if (!run_.empty()) {
      const std::uint32_t parent = forest_.parent[run_.front().second];
      const bool inner = parent < forest_.child_count.size();
      const auto count = static_cast<double>(run_.size());
      if (inner && run_.size() >= 2 && count > share_ * forest_.child_count[parent]) {
        lifted_.emplace_back(run_.front().first, parent);
      } else {
        stays_.insert(stays_.end(), run_.begin(), run_.end());
      }
    }
    run_.clear();
  }

  const LiftForest& forest_;
  double share_;
  unsigned level_;
  std::size_t begun_ = 0;  // the entity's pairs start here among those that stay
  std::vector<EntityPair> run_, stays_, lifted_;
};

}  // namespace

std::vector<EntityPair> lift(std::vector<EntityPair> pairs, const LiftForest& forest,
                             double share) {
  std::ranges::sort(pairs);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  const unsigned top = forest.level.empty() ? 0 : std::ranges::max(forest.level);
  for (unsigned level = 0; level < top; ++level) {
    Level(forest, share, level).lift(pairs);
  }
  return pairs;
}

}  // namespace bridge

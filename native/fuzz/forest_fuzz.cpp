// Opens any bytes as a forest and walks it.
#include "bridge/expand.h"
#include "bridge/forest.h"
#include "fuzz.h"

using namespace bridge;

namespace {

void expect_below(std::span<const std::uint32_t> ids, std::uint64_t end) {
  if (std::adjacent_find(ids.begin(), ids.end(), std::greater_equal<>()) != ids.end() ||
      (!ids.empty() && ids.back() >= end)) {
    __builtin_trap();
  }
}

// In a sound forest the roots own all chunks, and every abstract is below a root.
void expect_covered(const Forest& forest) {
  std::vector<AbstractId> roots;
  for (AbstractId a = 0; a < forest.size(); ++a) {
    if (forest.parent[a] == kNoParent) {
      roots.push_back(a);
    }
  }
  if (expand(forest, roots, 255).size() != forest.size() ||
      pool(forest, roots).size() != forest.chunks) {
    __builtin_trap();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::byte> payload = fuzz::copy(data, size);
  try {
    const Forest forest = open_forest(payload);
    const bool sound = check(forest).empty();
    std::vector<AbstractId> seeds;
    for (std::size_t a = 0; a < forest.size() && seeds.size() < fuzz::kAsked; a += 3) {
      seeds.push_back(static_cast<AbstractId>(a));
      expect_below(descendants(forest, seeds.back(), 255), forest.size());
      ancestors(forest, seeds.back(), 255);
    }
    for (const std::uint32_t depth : {0U, 1U, 0xFFFFU}) {
      const std::vector<AbstractId> all = expand(forest, seeds, depth);
      expect_below(all, forest.size());
      if (forest.chunks <= 1U << 20) {  // more than a payload this small has; they bound the answer
        expect_below(pool(forest, all), forest.chunks);
      }
    }
    if (sound && forest.chunks <= 1U << 20) {
      expect_covered(forest);
    }
  } catch (const DamagedPayload&) {
  }
  return 0;
}

#include "bridge/lift.h"

#include <utility>
#include <vector>

#include "arrays.h"

using namespace nb::literals;

namespace {

using Numbers = Vec<const std::uint32_t>;

nb::object lift(Vec<const bridge::Key> keys, Numbers abstracts, Numbers parent,
                Numbers child_count, Vec<const std::uint8_t> level, double share) {
  const bridge::LiftForest forest{view(parent), view(child_count), view(level)};
  if (keys.shape(0) != abstracts.shape(0) || forest.parent.size() != forest.level.size() ||
      forest.child_count.size() != forest.level.size()) {
    throw nb::value_error("keys and abstracts, and the arrays of a forest, must have one length");
  }
  std::vector<bridge::EntityPair> pairs;
  pairs.reserve(keys.shape(0));
  for (std::size_t i = 0; i < keys.shape(0); ++i) {
    if (abstracts.data()[i] >= forest.level.size()) {
      throw nb::index_error("abstracts names an abstract that is not there");
    }
    pairs.emplace_back(keys.data()[i], abstracts.data()[i]);
  }
  std::vector<bridge::Key> lifted_keys;
  std::vector<std::uint32_t> lifted_to;
  {
    const nb::gil_scoped_release nogil;
    pairs = bridge::lift(std::move(pairs), forest, share);
    lifted_keys.reserve(pairs.size());
    lifted_to.reserve(pairs.size());
    for (const auto& [key, abstract] : pairs) {
      lifted_keys.push_back(key);
      lifted_to.push_back(abstract);
    }
  }
  return nb::make_tuple(to_numpy(std::move(lifted_keys)), to_numpy(std::move(lifted_to)));
}

}  // namespace

void bind_lift(nb::module_& m) {
  m.def("lift", &lift, "keys"_a, "abstracts"_a, "parent"_a, "child_count"_a, "level"_a, "share"_a,
        "The pairs (entity, abstract) after lifting, ascending, as two arrays.");
}

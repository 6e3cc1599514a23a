#include <nanobind/stl/string.h>

#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "arrays.h"
#include "bound_forest.h"
#include "bridge/expand.h"
#include "module.h"

using namespace nb::literals;
using bridge::AbstractId;
using bridge::Forest;

namespace {

using Numbers = Vec<const std::uint32_t>;

OwnedForest* make(Numbers parent, Numbers first_child, Numbers child_count,
                  Vec<const std::uint8_t> level, Numbers first_chunk, Numbers chunk_count) {
  const std::size_t size = parent.shape(0);
  const auto expect = [size](const char* name, std::size_t found) {
    if (found == size) {
      return;
    }
    throw nb::value_error((std::string(name) + " has " + std::to_string(found) +
                           " entries, parent " + std::to_string(size) + "; they must be as many")
                              .c_str());
  };
  expect("first_child", first_child.shape(0));
  expect("child_count", child_count.shape(0));
  expect("level", level.shape(0));
  expect("first_chunk", first_chunk.shape(0));
  expect("chunk_count", chunk_count.shape(0));
  return new OwnedForest(bridge::pack({view(parent), view(first_child), view(child_count),
                                       view(first_chunk), view(chunk_count), view(level)}));
}

// A depth as Python gives it; no tree is as deep as the cap.
std::uint32_t checked_depth(std::int64_t depth) {
  if (depth < 0) {
    throw nb::value_error(("depth is " + std::to_string(depth) + "; it must be 0 or more").c_str());
  }
  return static_cast<std::uint32_t>(std::min<std::int64_t>(depth, 0xFFFF));
}

// A read-only view of one of the arrays.
template <auto Member>
void bind_array(nb::class_<OwnedForest>& forest, const char* name) {
  forest.def_prop_ro(name, [](nb::handle self) {
    const auto numbers = (*nb::cast<OwnedForest&>(self)).*Member;
    return nb::ndarray<nb::numpy, std::remove_reference_t<decltype(numbers[0])>, nb::ndim<1>>(
        numbers.data(), {numbers.size()}, self);
  });
}

// Runs a traversal without the GIL.
template <typename Call>
auto without_gil(Call call) {
  auto ids = [&] {
    const nb::gil_scoped_release nogil;
    return call();
  }();
  return to_numpy(std::move(ids));
}

void bind_walks(nb::class_<OwnedForest>& forest) {
  forest
      .def(
          "ancestors",
          [](const OwnedForest& self, AbstractId abstract, std::int64_t depth) {
            return to_numpy(bridge::ancestors(*self, abstract, checked_depth(depth)));
          },
          "abstract"_a, "depth"_a)
      .def(
          "descendants",
          [](const OwnedForest& self, AbstractId abstract, std::int64_t depth) {
            return to_numpy(bridge::descendants(*self, abstract, checked_depth(depth)));
          },
          "abstract"_a, "depth"_a)
      .def(
          "expand",
          [](const OwnedForest& self, Numbers seeds, std::int64_t depth) {
            const std::uint32_t steps = checked_depth(depth);
            return without_gil([&] { return bridge::expand(*self, view(seeds), steps); });
          },
          "seeds"_a.noconvert(), "depth"_a)
      .def(
          "pool",
          [](const OwnedForest& self, Numbers abstracts) {
            return without_gil([&] { return bridge::pool(*self, view(abstracts)); });
          },
          "abstracts"_a.noconvert())
      .def("check", [](const OwnedForest& self) {
        const nb::gil_scoped_release nogil;
        return bridge::check(*self);
      });
}

}  // namespace

void bind_forest(nb::module_& m) {
  m.attr("NO_PARENT") = bridge::kNoParent;
  nb::class_<OwnedForest> forest(m, "Forest", "Trees of abstracts; see forest.h and expand.h.");
  forest.def(nb::new_(&make), "parent"_a.noconvert(), "first_child"_a.noconvert(),
             "child_count"_a.noconvert(), "level"_a.noconvert(), "first_chunk"_a.noconvert(),
             "chunk_count"_a.noconvert());
  forest.def_static(
      "from_buffer",
      [](nb::handle buffer) { return new OwnedForest(std::make_unique<Buffer>(buffer)); },
      "buffer"_a);
  forest.def("to_bytes", [](const OwnedForest& self) { return to_python(self.payload()); });
  forest.def("__len__", [](const OwnedForest& self) { return (*self).size(); });
  forest.def_prop_ro("chunks", [](const OwnedForest& self) { return (*self).chunks; });
  bind_walks(forest);
  bind_array<&Forest::parent>(forest, "parent");
  bind_array<&Forest::first_child>(forest, "first_child");
  bind_array<&Forest::child_count>(forest, "child_count");
  bind_array<&Forest::level>(forest, "level");
  bind_array<&Forest::first_chunk>(forest, "first_chunk");
  bind_array<&Forest::chunk_count>(forest, "chunk_count");
}

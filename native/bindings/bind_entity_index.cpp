#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bridge/entity_index.h"
#include "module.h"
#include "payload.h"
#include "shared_index.h"

using namespace nb::literals;
using bridge::AbstractId;
using bridge::EntityIndex;
using bridge::Key;

namespace {

using KeyArray = Vec<const Key>;

SharedIndex* build(KeyArray keys, Vec<const AbstractId> abstracts, bool verify) {
  if (keys.shape(0) != abstracts.shape(0)) {
    throw nb::value_error(("keys has " + std::to_string(keys.shape(0)) + " entries, abstracts " +
                           std::to_string(abstracts.shape(0)) + "; they must be as many")
                              .c_str());
  }
  const nb::gil_scoped_release nogil;
  return new SharedIndex(EntityIndex::build(view(keys), view(abstracts), verify));
}

// Calls `use` with the parts of a merge, which nobody changes meanwhile, and their maps.
template <typename Use>
auto with_parts(const std::vector<SharedIndex*>& parts,
                const std::vector<Vec<const std::uint32_t>>& maps, Use use) {
  expect_maps(parts, maps);
  const std::vector<bridge::Renumbering> renumberings = views(maps);
  const nb::gil_scoped_release nogil;
  std::vector<SharedIndex*> each = parts;  // locked once each, in one order for all threads
  std::sort(each.begin(), each.end());
  each.erase(std::unique(each.begin(), each.end()), each.end());
  std::vector<std::shared_lock<std::shared_mutex>> locks;
  for (SharedIndex* part : each) {
    locks.push_back(part->hold());
  }
  std::vector<const EntityIndex*> indexes;
  for (const SharedIndex* part : parts) {
    indexes.push_back(&part->index());
  }
  return use(indexes, renumberings);
}

SharedIndex* merge(const std::vector<SharedIndex*>& parts,
                   const std::vector<Vec<const std::uint32_t>>& maps, bool verify) {
  return with_parts(parts, maps, [=](const auto& indexes, const auto& renumberings) {
    return new SharedIndex(EntityIndex::merge(indexes, renumberings, verify));
  });
}

std::size_t merge_into(nb::handle sink, const std::vector<SharedIndex*>& parts,
                       const std::vector<Vec<const std::uint32_t>>& maps, bool verify) {
  PythonSink pieces(sink);
  return with_parts(parts, maps, [&](const auto& indexes, const auto& renumberings) {
    return EntityIndex::merge(indexes, renumberings, verify, pieces);
  });
}

SharedIndex* from_buffer(nb::handle object) {
  auto buffer = std::make_unique<Buffer>(object);
  EntityIndex index = EntityIndex::open(buffer->bytes(), buffer->writable());
  return new SharedIndex(std::move(index), std::move(buffer));
}

nb::tuple lookup_many(SharedIndex& self, KeyArray keys) {
  bridge::LargeVector<std::uint64_t> offsets(keys.shape(0) + 1);
  bridge::LargeVector<AbstractId> ids;
  self.read([&](const EntityIndex& index) { index.lookup_many(view(keys), offsets, ids); });
  return nb::make_tuple(to_numpy(std::move(offsets)), to_numpy(std::move(ids)));
}

auto count_many(SharedIndex& self, KeyArray keys) {
  bridge::LargeVector<std::uint32_t> counts(keys.shape(0));
  self.read([&](const EntityIndex& index) { index.count_many(view(keys), counts); });
  return to_numpy(std::move(counts));
}

std::size_t touch_many(SharedIndex& self, KeyArray keys) {
  return self.read([&](EntityIndex& index) {
    std::size_t known = 0;
    for (const Key key : view(keys)) {
      known += index.touch(key);
    }
    return known;
  });
}

nb::tuple entries(SharedIndex& self) {
  bridge::Entries all = self.read([](const EntityIndex& index) { return index.entries(); });
  return nb::make_tuple(to_numpy(std::move(all.keys)), to_numpy(std::move(all.offsets)),
                        to_numpy(std::move(all.ids)));
}

void bind_changes(nb::class_<SharedIndex>& index) {
  index
      .def(
          "add",
          [](SharedIndex& self, Key key, AbstractId abstract) {
            return self.write([=](EntityIndex& i) { return i.add(key, abstract); });
          },
          "key"_a, "abstract"_a)
      .def(
          "discard",
          [](SharedIndex& self, Key key, AbstractId abstract) {
            return self.write([=](EntityIndex& i) { return i.discard(key, abstract); });
          },
          "key"_a, "abstract"_a)
      .def(
          "remove",
          [](SharedIndex& self, Key key) {
            return self.write([=](EntityIndex& i) { return i.remove(key); });
          },
          "key"_a)
      .def("reorder", [](SharedIndex& self) { self.write([](EntityIndex& i) { i.reorder(); }); })
      .def(
          "touch",
          [](SharedIndex& self, Key key) {
            return self.read([=](EntityIndex& i) { return i.touch(key); });
          },
          "key"_a)
      .def("touch_many", &touch_many, "keys"_a.noconvert());
}

void bind_queries(nb::class_<SharedIndex>& index) {
  index
      .def(
          "lookup",
          [](SharedIndex& self, Key key) {
            std::vector<AbstractId> ids;
            self.read([&](const EntityIndex& i) { i.lookup(key, ids); });
            return to_numpy(std::move(ids));
          },
          "key"_a)
      .def("lookup_many", &lookup_many, "keys"_a.noconvert())
      .def("count_many", &count_many, "keys"_a.noconvert())
      .def(
          "temperature",
          [](SharedIndex& self, Key key) {
            return self.read([=](const EntityIndex& i) { return i.temperature(key); });
          },
          "key"_a)
      .def("entries", &entries)
      .def("to_bytes",
           [](SharedIndex& self) {
             const bridge::Image image =
                 self.read([](const EntityIndex& i) { return i.to_bytes(); });
             return to_python(image.bytes());
           })
      .def("thaw", [](SharedIndex& self) {
        return new SharedIndex(self.read([](const EntityIndex& i) { return i.thaw(); }));
      });
}

// A read-only property.
template <typename Get>
void bind_fact(nb::class_<SharedIndex>& index, const char* name, Get get) {
  index.def_prop_ro(name, [get](SharedIndex& self) {
    return self.read([get](const EntityIndex& i) { return get(i); });
  });
}

}  // namespace

void bind_entity_index(nb::module_& m) {
  m.attr("DROPPED") = bridge::kDropped;
  nb::class_<SharedIndex> index(m, "EntityIndex",
                                "Entity key -> abstract ids; see entity_index.h.");
  index.def(nb::init<bool>(), "verify"_a = true);
  index.def_static("build", &build, "keys"_a.noconvert(), "abstracts"_a.noconvert(),
                   "verify"_a = true);
  index.def_static("merge", &merge, "parts"_a, "maps"_a.noconvert(), "verify"_a = true);
  index.def_static("merge_into", &merge_into, "sink"_a, "parts"_a, "maps"_a.noconvert(),
                   "verify"_a = true);
  index.def_static("from_buffer", &from_buffer, "buffer"_a);
  bind_changes(index);
  bind_queries(index);
  bind_fact(index, "pairs", [](const EntityIndex& i) { return i.pairs(); });
  bind_fact(index, "load", [](const EntityIndex& i) { return i.load(); });
  bind_fact(index, "size_bytes", [](const EntityIndex& i) { return i.size_bytes(); });
  bind_fact(index, "verify", [](const EntityIndex& i) { return i.verify(); });
  bind_fact(index, "packed", [](const EntityIndex& i) { return i.packed(); });
  index.def("__len__", [](SharedIndex& self) {
    return self.read([](const EntityIndex& i) { return i.size(); });
  });
}

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bound_forest.h"
#include "bridge/reach.h"
#include "module.h"
#include "rows.h"
#include "shared_index.h"

using namespace nb::literals;
using bridge::Key;

namespace {

using Numbers = Vec<const std::uint32_t>;
using Bytes = Vec<const std::uint8_t>;
using Keys = Vec<const Key>;
using Query = Vec<const float>;

// A segment, what it reads from, and which blocks of its vectors were compared with their
// checksums.
struct BoundSegment {
  nb::object index_object, forest_object;
  Numbers first_abstract, first_chunk;
  std::optional<Bytes> alive;
  AnyRows vectors;
  Bytes checked;
  std::size_t block_bytes, dead = 0;
  SharedIndex* index = nullptr;
  bridge::ReachSegment segment{};
};

void expect_borders(Numbers borders, std::uint64_t count, const char* what) {
  const auto numbers = view(borders);
  if (numbers.empty() || numbers.front() != 0 || numbers.back() != count ||
      !std::is_sorted(numbers.begin(), numbers.end())) {
    throw nb::value_error((std::string(what) + " must ascend from 0 to " + std::to_string(count) +
                           ", what the forest has")
                              .c_str());
  }
}

void fill(BoundSegment& bound) {
  bound.index = &nb::cast<SharedIndex&>(bound.index_object);
  const bridge::Forest& forest = *nb::cast<const OwnedForest&>(bound.forest_object);
  expect_borders(bound.first_abstract, forest.size(), "first_abstract");
  expect_borders(bound.first_chunk, forest.chunks, "first_chunk");
  const std::size_t documents = bound.first_chunk.shape(0) - 1;
  if (bound.first_abstract.shape(0) - 1 != documents ||
      (bound.alive && bound.alive->shape(0) != documents)) {
    throw nb::value_error("first_abstract, first_chunk and alive differ in documents");
  }
  const bridge::Rows rows = rows_of(bound.vectors);
  const std::size_t bytes = rows.count * rows.dim * (bound.vectors.dtype().bits / 8);
  if (rows.count != forest.chunks || bound.block_bytes == 0 ||
      bound.checked.shape(0) < (bytes + bound.block_bytes - 1) / bound.block_bytes) {
    throw nb::value_error("vectors must have a row a chunk, checked an entry a block of them");
  }
  bound.segment = {forest, view(bound.first_abstract), view(bound.first_chunk),
                   bound.alive ? view(*bound.alive) : std::span<const std::uint8_t>{}, rows};
  bound.dead = bridge::dead_abstracts(bound.segment);
}

using Segments = std::vector<nb::object>;

// A question's reach, and the segments it was found in.
class BoundReach {
 public:
  BoundReach(Segments segments, const Keys& keys, std::size_t documents, std::int64_t depth,
             std::uint32_t few_documents, std::size_t most_chunks)
      : kept_(std::move(segments)) {
    if (depth < 0) {
      throw nb::value_error(
          ("depth is " + std::to_string(depth) + "; it must be 0 or more").c_str());
    }
    for (const nb::object& segment : kept_) {
      bound_.push_back(&nb::cast<const BoundSegment&>(segment));
      views_.push_back(bound_.back()->segment);
    }
    const nb::gil_scoped_release nogil;
    const std::vector<std::uint8_t> crowded = crowds(view(keys), most_chunks);
    std::vector<bridge::SeedLists> found = lists(view(keys), crowded);
    const bridge::ReachLimits limits{few_documents, bridge::ReachLimits{}.common_share,
                                     most_chunks};
    const auto levels = static_cast<std::uint32_t>(std::min<std::int64_t>(depth, 0xFFFF));
    reach_ = bridge::reach(views_, std::move(found), crowded, documents, levels, limits);
  }

  const bridge::Reach& operator*() const { return reach_; }
  std::span<const bridge::ReachSegment> segments() const { return views_; }
  const BoundSegment& bound(std::size_t i) const { return *bound_[i]; }

  // Heats the followed keys in every index that holds them.
  void touch(const Keys& keys) const {
    if (keys.shape(0) != reach_.verdicts.size()) {
      throw nb::value_error("touch takes the keys that the reach was made of");
    }
    for (const BoundSegment* segment : bound_) {
      segment->index->read([&](bridge::EntityIndex& index) {
        for (std::size_t e = 0; e < reach_.verdicts.size(); ++e) {
          if (reach_.verdicts[e] == bridge::Verdict::followed) {
            index.touch(keys.data()[e]);
          }
        }
      });
    }
  }

 private:
  // Which entities have more than the limit of live abstracts, as far as the counts tell.
  std::vector<std::uint8_t> crowds(std::span<const Key> keys, std::size_t most) const {
    std::vector<std::size_t> least(keys.size());
    std::vector<std::uint32_t> counts(keys.size());
    for (const BoundSegment* segment : bound_) {
      const auto lock = segment->index->hold();
      segment->index->index().count_many(keys, counts);
      for (std::size_t e = 0; e < keys.size(); ++e) {
        least[e] += counts[e] > segment->dead ? counts[e] - segment->dead : 0;
      }
    }
    std::vector<std::uint8_t> crowded(keys.size());
    std::transform(least.begin(), least.end(), crowded.begin(),
                   [most](std::size_t count) { return count > most; });
    return crowded;
  }

  std::vector<bridge::SeedLists> lists(std::span<const Key> keys,
                                       std::span<const std::uint8_t> crowded) const {
    std::vector<bridge::SeedLists> found(bound_.size());
    for (std::size_t i = 0; i < bound_.size(); ++i) {
      bridge::SeedLists& lists = found[i];
      lists.offsets.assign(keys.size() + 1, 0);
      const auto lock = bound_[i]->index->hold();
      for (std::size_t e = 0; e < keys.size(); ++e) {
        if (crowded[e] == 0) {
          bound_[i]->index->index().lookup(keys[e], lists.ids);
        }
        lists.offsets[e + 1] = lists.ids.size();
      }
    }
    return found;
  }

  Segments kept_;
  std::vector<const BoundSegment*> bound_;
  std::vector<bridge::ReachSegment> views_;
  bridge::Reach reach_;
};

// ---- what Python asks of a reach

std::size_t checked_segment(const BoundReach& self, std::size_t segment) {
  if (segment >= self.segments().size()) {
    throw nb::index_error("there is no such segment");
  }
  return segment;
}

template <typename T>
nb::object copied(std::span<const T> numbers) {
  return nb::cast(to_numpy(std::vector<T>(numbers.begin(), numbers.end())));
}

nb::object seeds(const BoundReach& self, std::size_t segment, std::size_t entity) {
  if (entity >= (*self).verdicts.size()) {
    throw nb::index_error("there is no such entity");
  }
  return copied((*self).seeds[checked_segment(self, segment)].of(entity));
}

// One (verdict, live documents with it) an entity.
nb::list verdicts(const BoundReach& self) {
  constexpr const char* kWords[] = {"followed", "common", "crowded"};
  nb::list found;
  for (std::size_t e = 0; e < (*self).verdicts.size(); ++e) {
    found.append(nb::make_tuple(kWords[static_cast<std::size_t>((*self).verdicts[e])],
                                (*self).documents[e]));
  }
  return found;
}

std::vector<std::size_t> unchecked_blocks(const BoundSegment& bound,
                                          std::span<const bridge::ChunkId> pool) {
  std::vector<std::size_t> blocks;
  const std::size_t row = bound.segment.rows.dim * (bound.vectors.dtype().bits / 8);
  for (const bridge::ChunkId chunk : pool) {
    const std::size_t last = (std::size_t{chunk} * row + row - 1) / bound.block_bytes;
    for (std::size_t block = chunk * row / bound.block_bytes; row > 0 && block <= last; ++block) {
      if (bound.checked.data()[block] == 0 && (blocks.empty() || blocks.back() != block)) {
        blocks.push_back(block);
      }
    }
  }
  return blocks;
}

// (segment, blocks of its vectors that are to be compared before `best` reads them).
nb::list unchecked(const BoundReach& self) {
  nb::list found;
  for (std::size_t i = 0; i < self.segments().size(); ++i) {
    const auto blocks = unchecked_blocks(self.bound(i), (*self).pools[i]);
    if (!blocks.empty()) {
      found.append(nb::make_tuple(i, blocks));
    }
  }
  return found;
}

nb::list best(const BoundReach& self, Query query, std::int64_t k) {
  for (const bridge::ReachSegment& segment : self.segments()) {
    if (segment.rows.dim != query.shape(0)) {
      throw nb::value_error(("query has " + std::to_string(query.shape(0)) + " numbers, a row " +
                             std::to_string(segment.rows.dim) +
                             "; embed with the model of the rows")
                                .c_str());
    }
  }
  if (k < 0) {
    throw nb::value_error(("k is " + std::to_string(k) + "; it must be 0 or more").c_str());
  }
  const auto found = [&] {
    const nb::gil_scoped_release nogil;
    return bridge::best(self.segments(), *self, view(query), static_cast<std::size_t>(k));
  }();
  nb::list scored;
  for (const bridge::Found& one : found) {
    scored.append(nb::make_tuple(one.segment, one.chunk, one.score));
  }
  return scored;
}

nb::tuple told(const bridge::Traced& traced) {
  nb::list owners, ways;
  for (const bridge::AbstractId owner : traced.owners) {
    owners.append(owner);
  }
  for (const bridge::Way& way : traced.ways) {
    ways.append(nb::make_tuple(way.entity, way.seed, way.owner, way.steps));
  }
  return nb::make_tuple(nb::tuple(owners), ways);
}

using Place = std::pair<std::size_t, bridge::ChunkId>;

// (owners, [(entity, seed, owner, steps)]) of each (segment, chunk).
nb::list trace(const BoundReach& self, const std::vector<Place>& places) {
  std::vector<bridge::Traced> traced;
  for (const auto& [segment, chunk] : places) {
    checked_segment(self, segment);
  }
  {
    const nb::gil_scoped_release nogil;
    for (const auto& [segment, chunk] : places) {
      traced.push_back(bridge::trace(self.segments()[segment], *self, segment, chunk));
    }
  }
  nb::list found;
  for (const bridge::Traced& one : traced) {
    found.append(told(one));
  }
  return found;
}

// Which keys lead to a live abstract in any segment.
nb::object known(const Segments& segments, Keys keys) {
  std::vector<std::uint8_t> known(keys.shape(0));
  for (const nb::object& object : segments) {
    const auto& bound = nb::cast<const BoundSegment&>(object);
    bound.index->read([&](const bridge::EntityIndex& index) {
      std::vector<std::uint32_t> counts(known.size());
      index.count_many(view(keys), counts);
      std::vector<bridge::AbstractId> found;
      for (std::size_t i = 0; i < known.size(); ++i) {
        if (known[i] != 0 || counts[i] == 0 || counts[i] > bound.dead) {
          known[i] |= counts[i] != 0;
          continue;
        }
        found.clear();
        index.lookup(keys.data()[i], found);
        known[i] = bridge::any_alive(bound.segment, found);
      }
    });
  }
  return nb::cast(to_numpy(std::move(known)));
}

}  // namespace

void bind_reach(nb::module_& m) {
  const bridge::ReachLimits limits;
  m.attr("MOST_CHUNKS") = limits.most_chunks;
  nb::class_<BoundSegment>(m, "ReachSegment", "A segment as a search sees it; see reach.h.")
      .def(
          "__init__",
          [](BoundSegment* self, nb::object entities, nb::object forest, Numbers first_abstract,
             Numbers first_chunk, std::optional<Bytes> alive, AnyRows vectors, Bytes checked,
             std::size_t block_bytes) {
            BoundSegment made{std::move(entities),    std::move(forest), std::move(first_abstract),
                              std::move(first_chunk), std::move(alive),  std::move(vectors),
                              std::move(checked),     block_bytes};
            fill(made);
            new (self) BoundSegment(std::move(made));
          },
          "entities"_a, "forest"_a, "first_abstract"_a.noconvert(), "first_chunk"_a.noconvert(),
          "alive"_a.noconvert().none(), "vectors"_a.noconvert(), "checked"_a.noconvert(),
          "block_bytes"_a);
  nb::class_<BoundReach>(m, "Reach", "What the entities of a question reach; see reach.h.")
      .def(nb::init<Segments, const Keys&, std::size_t, std::int64_t, std::uint32_t, std::size_t>(),
           "segments"_a, "keys"_a.noconvert(), "documents"_a, "depth"_a, nb::kw_only(),
           "few_documents"_a = limits.few_documents, "most_chunks"_a = limits.most_chunks)
      .def_prop_ro("chunks", [](const BoundReach& self) { return (*self).chunks; })
      .def_prop_ro("depth", [](const BoundReach& self) { return (*self).depth; })
      .def("verdicts", &verdicts, "(followed, common or crowded; live documents) an entity.")
      .def("seeds", &seeds, "segment"_a, "entity"_a)
      .def(
          "expanded",
          [](const BoundReach& self, std::size_t segment) {
            return copied<bridge::AbstractId>((*self).expanded[checked_segment(self, segment)]);
          },
          "segment"_a)
      .def(
          "pool",
          [](const BoundReach& self, std::size_t segment) {
            return copied<bridge::ChunkId>((*self).pools[checked_segment(self, segment)]);
          },
          "segment"_a)
      .def("touch", &BoundReach::touch, "keys"_a.noconvert())
      .def("unchecked", &unchecked)
      .def("best", &best, "query"_a.noconvert(), "k"_a, "[(segment, chunk, cosine)], best first.")
      .def("trace", &trace, "places"_a,
           "(owners, [(entity, seed, owner, steps)]) of each (segment, chunk).");
  m.def("known", &known, "segments"_a, "keys"_a.noconvert(),
        "Which keys lead to a live abstract in any segment, a byte each.");
}

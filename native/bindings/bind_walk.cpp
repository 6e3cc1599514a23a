#include <nanobind/stl/list.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bound_name_index.h"
#include "bridge/walk.h"
#include "module.h"

using namespace nb::literals;
using bridge::Key;
using bridge::Stem;

namespace {

using Numbers = Vec<const std::uint32_t>;
using Keys = Vec<const Key>;
using Stems = Vec<const Stem>;
using Doubles = Vec<const double>;
using Bytes = Vec<const std::uint8_t>;
using Segment = std::tuple<nb::object, Numbers, std::optional<Bytes>>;

// A graph, and what it reads from.
struct BoundGraph {
  std::vector<Segment> kept;
  bridge::WalkGraph graph;
};

// A push, and the graph it walked on.
struct BoundPush {
  nb::object kept;
  bridge::Push push;
};

bridge::WalkSegment checked(const Segment& segment) {
  const auto& [names, first_chunk, alive] = segment;
  const bridge::NameIndex& index = nb::cast<const BoundNameIndex&>(names).index;
  const auto first = view(first_chunk);
  if (first.size() != index.documents() + 1 || first.front() != 0 ||
      first.back() != index.chunks() ||
      std::adjacent_find(first.begin(), first.end(), std::greater_equal<>()) != first.end()) {
    throw nb::value_error("first_chunk must ascend strictly from 0 to the chunks of the index");
  }
  if (alive && alive->shape(0) != index.chunks()) {
    throw nb::value_error("alive must have an entry for each chunk of the index");
  }
  return {&index, first, alive ? view(*alive) : bridge::Alive{}};
}

void expect(bool holds, const char* what) {
  if (!holds) {
    throw nb::value_error((std::string("an option of the walk is out of range: ") + what).c_str());
  }
}

void expect_options(const bridge::WalkOptions& options) {
  expect(0 < options.restart && options.restart <= 1, "restart is above 0 and at most 1");
  expect(1 <= options.rounds && options.rounds <= 64, "rounds is from 1 to 64");
  expect(1 <= options.frontier && options.frontier <= 4096, "frontier is from 1 to 4096");
  expect(1 <= options.width && options.width <= 4096, "width is from 1 to 4096");
  expect(options.near_weight >= 0 && std::isfinite(options.near_weight),
         "near_weight is finite and at least 0");
  expect(options.near_words > 0 && std::isfinite(options.near_words),
         "near_words is finite and above 0");
  expect(1 <= options.definition_weight && options.definition_weight <= 64,
         "definition_weight is from 1 to 64");
  expect(0.5 <= options.degree_power && options.degree_power <= 1, "degree_power is from 0.5 to 1");
}

BoundGraph* graph(std::vector<Segment> segments, double restart, std::uint32_t rounds,
                  std::uint32_t frontier, std::uint32_t width, double near_weight,
                  double near_words, double definition_weight, double degree_power) {
  std::vector<bridge::WalkSegment> checked_segments;
  std::uint64_t chunks = 0;
  for (const Segment& segment : segments) {
    checked_segments.push_back(checked(segment));
    chunks += checked_segments.back().names->chunks();
  }
  if (chunks >= bridge::kRun) {
    throw nb::value_error("a walk takes fewer than 2,147,483,648 chunks");
  }
  bridge::WalkOptions options;
  options.restart = restart;
  options.rounds = rounds;
  options.frontier = frontier;
  options.width = width;
  options.near_weight = near_weight;
  options.near_words = near_words;
  options.definition_weight = definition_weight;
  options.degree_power = degree_power;
  expect_options(options);
  return new BoundGraph{std::move(segments), {std::move(checked_segments), options}};
}

nb::tuple facts(const BoundGraph& self, Keys names) {
  std::vector<std::uint32_t> chunks, documents;
  std::vector<std::uint8_t> known;
  std::vector<double> rarity;
  {
    const nb::gil_scoped_release nogil;
    for (const Key name : view(names)) {
      const bridge::NameFacts facts = self.graph.facts(name);
      chunks.push_back(facts.chunks);
      documents.push_back(self.graph.defined(facts) ? facts.documents : 0);
      known.push_back(self.graph.known(facts));
      rarity.push_back(self.graph.walkable(facts) ? self.graph.rarity(facts) : 0.0);
    }
  }
  return nb::make_tuple(to_numpy(std::move(known)), to_numpy(std::move(documents)),
                        to_numpy(std::move(chunks)), to_numpy(std::move(rarity)));
}

bridge::Asked asked(const Stems& stems, const Doubles& weights) {
  if (stems.shape(0) != weights.shape(0)) {
    throw nb::value_error("stems and weights differ in length");
  }
  return {view(stems), view(weights)};
}

void expect_chunks(const BoundGraph& graph, const Numbers& chunks) {
  for (const std::uint32_t chunk : view(chunks)) {
    if (chunk >= graph.graph.chunks()) {
      throw nb::index_error("a chunk is not there");
    }
  }
}

BoundPush* push(nb::object self, Stems stems, Doubles asks, Numbers chunks, Doubles chunk_weights,
                Keys names, Doubles name_weights) {
  const auto& bound = nb::cast<const BoundGraph&>(self);
  if (chunks.shape(0) != chunk_weights.shape(0) || names.shape(0) != name_weights.shape(0)) {
    throw nb::value_error("a start has not as many weights as nodes");
  }
  expect_chunks(bound, chunks);
  const bridge::Asked with = asked(stems, asks);
  const bridge::Weighted start{view(chunks), view(chunk_weights), view(names), view(name_weights)};
  std::optional<bridge::Push> made;
  {
    const nb::gil_scoped_release nogil;
    made.emplace(bound.graph, with, start);
  }
  return new BoundPush{std::move(self), std::move(*made)};
}

nb::tuple choose(BoundPush& self, Numbers pool, Doubles values, Stems stems, Doubles worth,
                 double link_weight, std::size_t count) {
  if (pool.shape(0) != values.shape(0)) {
    throw nb::value_error("pool and values differ in length");
  }
  expect_chunks(nb::cast<const BoundGraph&>(self.kept), pool);
  const bridge::Asked words = asked(stems, worth);
  bridge::Chosen chosen;
  {
    const nb::gil_scoped_release nogil;
    chosen = self.push.choose({view(pool), view(values)}, words, link_weight, count);
  }
  return nb::make_tuple(to_numpy(std::move(chosen.places)), to_numpy(std::move(chosen.gains)));
}

// One byte a chunk and stem, chunk by chunk.
nb::object held(const BoundGraph& self, Numbers chunks, Stems stems) {
  expect_chunks(self, chunks);
  std::vector<std::uint8_t> holds;
  {
    const nb::gil_scoped_release nogil;
    holds = bridge::held(self.graph, view(chunks), view(stems));
  }
  return nb::cast(to_numpy(std::move(holds)));
}

nb::object copies_last(const BoundGraph& self, Numbers earlier, Numbers chunks, double most,
                       std::size_t reach) {
  expect_chunks(self, earlier);
  expect_chunks(self, chunks);
  std::vector<std::uint32_t> order;
  {
    const nb::gil_scoped_release nogil;
    order = bridge::copies_last(self.graph, view(earlier), view(chunks), most, reach);
  }
  return nb::cast(to_numpy(std::move(order)));
}

nb::object chunks_of(const BoundGraph& self, Key name) {
  std::vector<std::uint32_t> chunks;
  {
    const nb::gil_scoped_release nogil;
    chunks = self.graph.chunks_of(name);
  }
  return nb::cast(to_numpy(std::move(chunks)));
}

nb::tuple heaviest(const BoundPush& self, std::size_t count) {
  std::vector<std::uint32_t> chunks;
  std::vector<double> weights;
  {
    const nb::gil_scoped_release nogil;
    chunks = self.push.chunks(count);
    for (const std::uint32_t chunk : chunks) {
      weights.push_back(self.push.weight(chunk));
    }
  }
  return nb::make_tuple(to_numpy(std::move(chunks)), to_numpy(std::move(weights)));
}

nb::object placed(const bridge::NamePlace& place) {
  if (place.chunk == bridge::kNowhere) {
    return nb::none();
  }
  return nb::make_tuple(place.chunk, place.first, place.words);
}

nb::list leads(BoundPush& self, std::size_t count, std::size_t most) {
  std::vector<bridge::Push::Lead> leads;
  {
    const nb::gil_scoped_release nogil;
    leads = self.push.leads(count, most);
  }
  nb::list found;
  for (const auto& lead : leads) {
    found.append(nb::make_tuple(lead.name, lead.gain, placed(lead.place), lead.rarity, lead.stems));
  }
  return found;
}

nb::list way(const BoundPush& self, std::uint32_t chunk) {
  nb::list steps;
  for (const auto& step : self.push.way(chunk)) {
    if (step.is_name) {
      steps.append(nb::make_tuple(step.name, placed(step.place)));
    } else {
      steps.append(nb::make_tuple(nb::none(), placed(step.place)));
    }
  }
  return steps;
}

}  // namespace

void bind_walk(nb::module_& m) {
  const bridge::WalkOptions defaults;
  nb::class_<BoundPush>(m, "Push",
                        "Where the weight of a question came to rest; for one thread at a time.")
      .def("heaviest", &heaviest, "count"_a, "Chunks by falling weight, and their weights.")
      .def("leads", &leads, "count"_a, "most"_a,
           "Names that the heaviest chunks lead to: (name, gain, (chunk, first word, words), "
           "rarity, "
           "stems).")
      .def("choose", &choose, "pool"_a, "values"_a, "stems"_a, "worth"_a, "link_weight"_a,
           "count"_a, "Places in the pool, chosen one by one, copies last, and what each gained.")
      .def("way", &way, "chunk"_a,
           "How most weight came: (name, place or None) and (None, place) in turn.");
  nb::class_<BoundGraph>(m, "WalkGraph", "Names and chunks of segments as a graph.")
      .def(
          "__init__",
          [](BoundGraph* self, std::vector<Segment> segments, double restart, std::uint32_t rounds,
             std::uint32_t frontier, std::uint32_t width, double near_weight, double near_words,
             double definition_weight, double degree_power) {
            const std::unique_ptr<BoundGraph> made(graph(std::move(segments), restart, rounds,
                                                         frontier, width, near_weight, near_words,
                                                         definition_weight, degree_power));
            new (self) BoundGraph(std::move(*made));
          },
          "segments"_a, nb::kw_only(), "restart"_a = defaults.restart, "rounds"_a = defaults.rounds,
          "frontier"_a = defaults.frontier, "width"_a = defaults.width,
          "near_weight"_a = defaults.near_weight, "near_words"_a = defaults.near_words,
          "definition_weight"_a = defaults.definition_weight,
          "degree_power"_a = defaults.degree_power,
          "Segments as (names, first chunk of each document, alive bytes or None).")
      .def_prop_ro("chunks", [](const BoundGraph& self) { return self.graph.chunks(); })
      .def("facts", &facts, "names"_a,
           "Of each name: known, documents it titles, chunks it may stand in, rarity or 0.")
      .def("chunks_of", &chunks_of, "name"_a, "The chunks that a name leads to, ascending.")
      .def("push", &push, "stems"_a, "asks"_a, "chunks"_a, "chunk_weights"_a, "names"_a,
           "name_weights"_a)
      .def("copies_last", &copies_last, "earlier"_a, "chunks"_a, "most"_a, "reach"_a,
           "Places of chunks: those that hold something new, then those that tell it again.")
      .def("held", &held, "chunks"_a, "stems"_a,
           "Whether each chunk holds each stem: bytes, a chunk after the other.");
}

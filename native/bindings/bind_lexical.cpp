#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bridge/lexical.h"
#include "bridge/terms.h"
#include "module.h"
#include "payload.h"

using namespace nb::literals;
using bridge::Term;

namespace {

using Terms = Vec<const Term>;
using Weights = Vec<const float>;
using Numbers = Vec<const std::uint32_t>;
using MaybeAlive = std::optional<Vec<const std::uint8_t>>;

// An index and the buffer it reads from.
struct BoundLexical {
  PayloadArray buffer;
  bridge::LexicalIndex index;

  explicit BoundLexical(PayloadArray array) : buffer(std::move(array)), index(bytes_of(buffer)) {}
};

// Refuses chunks that descend or are not among the first `count`.
void expect_ascending(std::span<const std::uint32_t> chunks, std::size_t count) {
  std::uint32_t latest = 0;
  for (const std::uint32_t chunk : chunks) {
    if (chunk < latest) {
      throw nb::value_error("chunks must not descend");
    }
    if (chunk >= count) {
      throw nb::index_error("chunks names a chunk that is not there");
    }
    latest = chunk;
  }
}

BoundLexical build(Terms terms, Numbers where, std::uint32_t chunks) {
  if (terms.shape(0) != where.shape(0)) {
    throw nb::value_error("terms and chunks differ in length");
  }
  expect_ascending(view(where), chunks);
  return BoundLexical(
      to_array([&] { return bridge::build_lexical(view(terms), view(where), chunks); }));
}

std::vector<const bridge::LexicalIndex*> indexes_of(const std::vector<const BoundLexical*>& parts,
                                                    const std::vector<Numbers>& maps) {
  expect_maps(parts, maps);
  std::vector<const bridge::LexicalIndex*> indexes;
  for (const BoundLexical* part : parts) {
    indexes.push_back(&part->index);
  }
  return indexes;
}

BoundLexical merge(const std::vector<const BoundLexical*>& parts,
                   const std::vector<Numbers>& maps) {
  const auto indexes = indexes_of(parts, maps);
  const std::vector<bridge::Renumbering> renumberings = views(maps);
  return BoundLexical(to_array([&] { return bridge::merge_lexical(indexes, renumberings); }));
}

void merge_into(nb::handle sink, const std::vector<const BoundLexical*>& parts,
                const std::vector<Numbers>& maps) {
  const auto indexes = indexes_of(parts, maps);
  const std::vector<bridge::Renumbering> renumberings = views(maps);
  PythonSink pieces(sink);
  const nb::gil_scoped_release nogil;
  bridge::merge_lexical(indexes, renumberings, pieces);
}

// The alive bytes of an index's chunks, or none.
bridge::Alive checked(const MaybeAlive& alive, const BoundLexical& self) {
  if (!alive) {
    return {};
  }
  if (alive->shape(0) != self.index.chunks()) {
    throw nb::value_error(("alive has " + std::to_string(alive->shape(0)) + " entries, the index " +
                           std::to_string(self.index.chunks()) + " chunks")
                              .c_str());
  }
  return view(*alive);
}

bridge::Bm25 checked(const Terms& terms, const Weights& idf, float average_length, float k1,
                     float b) {
  if (terms.shape(0) != idf.shape(0)) {
    throw nb::value_error("terms and idf differ in length");
  }
  if (!(k1 >= 0) || !(b >= 0 && b <= 1)) {
    throw nb::value_error("k1 must be 0 or more, b 0 to 1");
  }
  return {view(terms), view(idf), average_length, k1, b};
}

nb::object pair(bridge::ScoredChunks&& found) {
  return nb::make_tuple(to_numpy(std::move(found.chunks)), to_numpy(std::move(found.scores)));
}

nb::object df(const BoundLexical& self, Terms terms, const MaybeAlive& alive) {
  const bridge::Alive there = checked(alive, self);
  std::vector<std::uint32_t> counts;
  counts.reserve(terms.shape(0));
  {
    const nb::gil_scoped_release nogil;
    for (const Term term : view(terms)) {
      counts.push_back(self.index.df(term, there));
    }
  }
  return nb::cast(to_numpy(std::move(counts)));
}

nb::object score(const BoundLexical& self, Terms terms, Weights idf, float average_length, float k1,
                 float b, const MaybeAlive& alive) {
  const bridge::Bm25 asked = checked(terms, idf, average_length, k1, b);
  const bridge::Alive there = checked(alive, self);
  bridge::ScoredChunks found;
  {
    const nb::gil_scoped_release nogil;
    found = self.index.score(asked, there);
  }
  return pair(std::move(found));
}

nb::object top(const BoundLexical& self, Terms terms, Weights idf, float average_length,
               std::size_t k, float k1, float b, const MaybeAlive& alive) {
  const bridge::Bm25 asked = checked(terms, idf, average_length, k1, b);
  const bridge::Alive there = checked(alive, self);
  bridge::ScoredChunks found;
  {
    const nb::gil_scoped_release nogil;
    found = self.index.top(asked, k, there);
  }
  return pair(std::move(found));
}

nb::object score_of(const BoundLexical& self, Terms terms, Weights idf, float average_length,
                    Numbers chunks, float k1, float b) {
  const bridge::Bm25 asked = checked(terms, idf, average_length, k1, b);
  expect_ascending(view(chunks), self.index.chunks());
  std::vector<float> scores;
  {
    const nb::gil_scoped_release nogil;
    scores = self.index.score_of(asked, view(chunks));
  }
  return nb::cast(to_numpy(std::move(scores)));
}

// A read-only view of numbers in an index's payload.
template <typename T>
nb::object in_place(nb::handle self, std::span<const T> numbers) {
  return nb::cast(
      nb::ndarray<nb::numpy, const T, nb::ndim<1>>(numbers.data(), {numbers.size()}, self));
}

nb::tuple entries(nb::handle self) {
  const auto& index = nb::cast<const BoundLexical&>(self).index;
  bridge::LexicalEntries all;
  std::vector<std::uint32_t> counts;
  {
    const nb::gil_scoped_release nogil;
    all = index.entries();
    counts.assign(all.counts.begin(), all.counts.end());
  }
  return nb::make_tuple(in_place(self, all.terms), in_place(self, all.offsets),
                        in_place(self, all.chunks), to_numpy(std::move(counts)));
}

nb::object terms(Vec<const bridge::Key> keys, Vec<const std::uint8_t> flags) {
  if (keys.shape(0) != flags.shape(0)) {
    throw nb::value_error("keys and flags differ in length");
  }
  return nb::cast(to_numpy(bridge::terms(view(keys), view(flags))));
}

nb::object chunk_terms(Vec<const bridge::Key> keys, Vec<const std::uint8_t> flags,
                       Numbers sentences, Numbers chunks, Terms title) {
  const bridge::WordStream words{view(keys), view(flags), view(sentences), view(chunks)};
  if (!bridge::well_formed(words)) {
    throw nb::value_error(
        "keys and flags must have one length; sentences and chunks must ascend from 0 to the "
        "number of words and of sentences");
  }
  bridge::ChunkTerms found;
  {
    const nb::gil_scoped_release nogil;
    found = bridge::chunk_terms(words, view(title));
  }
  return nb::make_tuple(to_numpy(std::move(found.terms)), to_numpy(std::move(found.chunks)));
}

}  // namespace

void bind_lexical(nb::module_& m) {
  m.def("terms", &terms, "keys"_a, "flags"_a, "The terms among some words, in their order.");
  m.def("chunk_terms", &chunk_terms, "keys"_a, "flags"_a, "sentences"_a, "chunks"_a, "title"_a,
        "The terms of a document's chunks, those of its title in each, and the chunk of each.");
  nb::class_<BoundLexical>(m, "LexicalIndex", "Search terms of a segment's chunks, for BM25.")
      .def_static("build", &build, "terms"_a, "chunks"_a, "n_chunks"_a,
                  "Index occurrences: terms[i] stands in chunks[i], which must not descend.")
      .def_static("merge", &merge, "parts"_a, "maps"_a.noconvert(),
                  "All parts as one; maps[i][c] is the new number of chunk c of part i.")
      .def_static("merge_into", &merge_into, "sink"_a, "parts"_a, "maps"_a.noconvert(),
                  "Give the payload of the same to a sink, in pieces.")
      .def_static(
          "from_buffer", [](PayloadArray buffer) { return BoundLexical(std::move(buffer)); },
          "buffer"_a, "Use a payload in place; the buffer is kept alive.")
      .def("to_bytes", [](const BoundLexical& self) { return to_python(bytes_of(self.buffer)); })
      .def_prop_ro(
          "payload",
          [](nb::handle self) {
            return payload_of(self, nb::cast<const BoundLexical&>(self).buffer);
          },
          "What `to_bytes` gives, in place.")
      .def("__len__", [](const BoundLexical& self) { return self.index.terms(); })
      .def_prop_ro("chunks", [](const BoundLexical& self) { return self.index.chunks(); })
      .def_prop_ro("postings", [](const BoundLexical& self) { return self.index.postings(); })
      .def_prop_ro("total_length",
                   [](const BoundLexical& self) { return self.index.total_length(); })
      .def_prop_ro("size_bytes", [](const BoundLexical& self) { return self.buffer.shape(0); })
      .def_prop_ro("lengths",
                   [](nb::handle self) {
                     return in_place(self, nb::cast<const BoundLexical&>(self).index.lengths());
                   })
      .def("entries", &entries, "Terms, their borders among the postings, chunks and counts.")
      .def("df", &df, "terms"_a, "alive"_a.noconvert().none() = nb::none(),
           "In how many chunks each term stands, of those alive.")
      .def("score", &score, "terms"_a, "idf"_a, "average_length"_a, "k1"_a, "b"_a,
           "alive"_a.noconvert().none() = nb::none(),
           "All living chunks that hold a term, ascending, and their scores.")
      .def("top", &top, "terms"_a, "idf"_a, "average_length"_a, "k"_a, "k1"_a, "b"_a,
           "alive"_a.noconvert().none() = nb::none(),
           "The best k living chunks and their scores, best first.")
      .def("score_of", &score_of, "terms"_a, "idf"_a, "average_length"_a, "chunks"_a, "k1"_a, "b"_a,
           "The scores of some chunks, which must not descend.");
}

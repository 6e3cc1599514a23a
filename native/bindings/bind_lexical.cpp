#include <cmath>

#include "arrays.h"
#include "bridge/lexical.h"

using namespace nb::literals;

namespace {

using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// An index and the buffer it reads from.
struct BoundLexical {
  Bytes buffer;
  bridge::LexicalIndex index;

  explicit BoundLexical(Bytes bytes)
      : buffer(std::move(bytes)),
        index({reinterpret_cast<const std::byte*>(buffer.data()), buffer.shape(0)}) {}
};

nb::object build(Vec<const bridge::Term> terms, Vec<const std::uint32_t> where, std::uint32_t chunks) {
  if (terms.shape(0) != where.shape(0)) throw nb::value_error("terms and chunks differ in length");
  std::uint32_t latest = 0;
  for (std::uint32_t chunk : view(where)) {
    if (chunk < latest) throw nb::value_error("chunks must not descend");
    if (chunk >= chunks) throw nb::index_error("chunks names a chunk that is not there");
    latest = chunk;
  }
  std::unique_ptr<bridge::Image> image;
  {
    nb::gil_scoped_release nogil;
    image = std::make_unique<bridge::Image>(bridge::build_lexical(view(terms), view(where), chunks));
  }
  const auto bytes = image->bytes();
  nb::capsule owner(image.release(), [](void* p) noexcept { delete static_cast<bridge::Image*>(p); });
  return nb::cast(BoundLexical(
      Bytes(reinterpret_cast<const std::uint8_t*>(bytes.data()), {bytes.size()}, owner)));
}

bridge::Bm25 query(const Vec<const bridge::Term>& terms, const Vec<const float>& idf,
                   float average_length, float k1, float b) {
  if (terms.shape(0) != idf.shape(0)) throw nb::value_error("terms and idf differ in length");
  if (!(k1 >= 0) || !(b >= 0 && b <= 1)) throw nb::value_error("k1 must be 0 or more, b 0 to 1");
  return {view(terms), view(idf), average_length, k1, b};
}

nb::object pair(bridge::ScoredChunks&& found) {
  return nb::make_tuple(to_numpy(std::move(found.chunks)), to_numpy(std::move(found.scores)));
}

}  // namespace

void bind_lexical(nb::module_& m) {
  nb::class_<BoundLexical>(m, "LexicalIndex", "Search terms of a segment's chunks, for BM25.")
      .def_static("build", &build, "terms"_a, "chunks"_a, "n_chunks"_a,
                  "Index occurrences: terms[i] stands in chunks[i], which must not descend.")
      .def_static("from_buffer", [](Bytes buffer) { return BoundLexical(std::move(buffer)); },
                  "buffer"_a, "Use a payload in place; the buffer is kept alive.")
      .def("to_bytes",
           [](const BoundLexical& self) {
             return nb::bytes(reinterpret_cast<const char*>(self.buffer.data()),
                              self.buffer.shape(0));
           })
      .def("__len__", [](const BoundLexical& self) { return self.index.terms(); })
      .def_prop_ro("chunks", [](const BoundLexical& self) { return self.index.chunks(); })
      .def_prop_ro("postings", [](const BoundLexical& self) { return self.index.postings(); })
      .def_prop_ro("total_length", [](const BoundLexical& self) { return self.index.total_length(); })
      .def_prop_ro("size_bytes", [](const BoundLexical& self) { return self.buffer.shape(0); })
      .def_prop_ro("lengths",
                   [](const BoundLexical& self) {
                     const auto lengths = self.index.lengths();
                     return to_numpy(std::vector<std::uint32_t>(lengths.begin(), lengths.end()));
                   },
                   nb::rv_policy::move)
      .def("df",
           [](const BoundLexical& self, Vec<const bridge::Term> terms) {
             std::vector<std::uint32_t> df;
             for (bridge::Term term : view(terms)) df.push_back(self.index.df(term));
             return to_numpy(std::move(df));
           },
           "terms"_a, "In how many chunks each term stands.")
      .def("score",
           [](const BoundLexical& self, Vec<const bridge::Term> terms, Vec<const float> idf,
              float average_length, float k1, float b) {
             const bridge::Bm25 asked = query(terms, idf, average_length, k1, b);
             bridge::ScoredChunks found;
             {
               nb::gil_scoped_release nogil;
               found = self.index.score(asked);
             }
             return pair(std::move(found));
           },
           "terms"_a, "idf"_a, "average_length"_a, "k1"_a, "b"_a,
           "All chunks that hold a term, ascending, and their scores.")
      .def("top",
           [](const BoundLexical& self, Vec<const bridge::Term> terms, Vec<const float> idf,
              float average_length, std::size_t k, float k1, float b) {
             const bridge::Bm25 asked = query(terms, idf, average_length, k1, b);
             bridge::ScoredChunks found;
             {
               nb::gil_scoped_release nogil;
               found = self.index.top(asked, k);
             }
             return pair(std::move(found));
           },
           "terms"_a, "idf"_a, "average_length"_a, "k"_a, "k1"_a, "b"_a,
           "The best k chunks and their scores, best first.");
}

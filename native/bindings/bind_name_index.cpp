#include <nanobind/stl/vector.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bound_name_index.h"
#include "document_names.h"
#include "module.h"

using namespace nb::literals;
using bridge::Key;

namespace {

using Numbers = Vec<const std::uint32_t>;

BoundNameIndex build(const std::vector<const DocumentNames*>& documents) {
  std::vector<const bridge::NamedDocument*> named;
  for (const DocumentNames* document : documents) {
    if (document == nullptr) {
      throw nb::type_error("a document is None; it must be what `read_names` returns");
    }
    named.push_back(&document->names);
  }
  return BoundNameIndex(to_array([&] { return bridge::build_names(named); }));
}

// The parts of a merge as the core takes them.
struct Parts {
  std::vector<const bridge::NameIndex*> indexes;
  std::vector<std::span<const std::uint32_t>> first_chunks;
  std::vector<bridge::Renumbering> maps;

  Parts(const std::vector<const BoundNameIndex*>& parts, const std::vector<Numbers>& firsts,
        const std::vector<Numbers>& renumberings)
      : first_chunks(views(firsts)), maps(views(renumberings)) {
    expect_maps(parts, renumberings);
    expect_maps(parts, firsts);
    for (const BoundNameIndex* part : parts) {
      indexes.push_back(&part->index);
    }
  }
};

BoundNameIndex merge(const std::vector<const BoundNameIndex*>& parts,
                     const std::vector<Numbers>& first_chunks, const std::vector<Numbers>& maps) {
  const Parts all(parts, first_chunks, maps);
  return BoundNameIndex(
      to_array([&] { return bridge::merge_names(all.indexes, all.first_chunks, all.maps); }));
}

void merge_into(nb::handle sink, const std::vector<const BoundNameIndex*>& parts,
                const std::vector<Numbers>& first_chunks, const std::vector<Numbers>& maps) {
  const Parts all(parts, first_chunks, maps);
  PythonSink pieces(sink);
  const nb::gil_scoped_release nogil;
  bridge::merge_names(all.indexes, all.first_chunks, all.maps, pieces);
}

// One number of each row.
template <typename Row, typename Get>
nb::object column(std::span<const Row> rows, Get get) {
  std::vector<decltype(get(rows[0]))> values;
  values.reserve(rows.size());
  std::ranges::transform(rows, std::back_inserter(values), get);
  return nb::cast(to_numpy(std::move(values)));
}

template <typename T>
nb::object copied(std::span<const T> numbers) {
  return nb::cast(to_numpy(std::vector<T>(numbers.begin(), numbers.end())));
}

nb::list ids(const BoundNameIndex& self) {
  nb::list found;
  for (std::uint32_t document = 0; document < self.index.documents(); ++document) {
    const std::string_view id = self.index.id(document);
    found.append(nb::str(id.data(), id.size()));
  }
  return found;
}

nb::tuple postings(const BoundNameIndex& self, Key name) {
  const auto found = self.index.postings(self.index.find(name));
  return nb::make_tuple(
      column(found, [](std::uint32_t posting) { return posting & ~bridge::kRun; }),
      column(found,
             [](std::uint32_t posting) -> std::uint8_t { return (posting & bridge::kRun) != 0; }));
}

nb::tuple spans(const BoundNameIndex& self, std::uint32_t chunk) {
  using bridge::StoredSpan;
  const auto entries = self.index.entries();
  const auto found = self.index.spans(chunk);
  return nb::make_tuple(column(found,
                               [&](const StoredSpan& s) {
                                 return s.name < entries.size() ? entries[s.name].key : 0;
                               }),
                        column(found, [](const StoredSpan& span) { return span.first; }),
                        column(found, [](const StoredSpan& span) { return span.words; }),
                        column(found, [](const StoredSpan& span) { return span.run; }));
}

}  // namespace

void bind_name_index(nb::module_& m) {
  nb::class_<BoundNameIndex>(m, "NameIndex", "Names and words of a segment's chunks, for the walk.")
      .def_static("build", &build, "documents"_a, "Index documents, their chunks numbered through.")
      .def_static("merge", &merge, "parts"_a, "first_chunks"_a.noconvert(), "maps"_a.noconvert(),
                  "All parts as one; documents start at first_chunks[i], and maps[i][c] is the new "
                  "number of chunk c of part i.")
      .def_static("merge_into", &merge_into, "sink"_a, "parts"_a, "first_chunks"_a.noconvert(),
                  "maps"_a.noconvert(), "Give the payload of the same to a sink, in pieces.")
      .def_static(
          "from_buffer", [](PayloadArray buffer) { return BoundNameIndex(std::move(buffer)); },
          "buffer"_a, "Use a payload in place; the buffer is kept alive.")
      .def("to_bytes", [](const BoundNameIndex& self) { return to_python(bytes_of(self.buffer)); })
      .def_prop_ro(
          "payload",
          [](nb::handle self) {
            return payload_of(self, nb::cast<const BoundNameIndex&>(self).buffer);
          },
          "What `to_bytes` gives, in place.")
      .def(
          "check", [](const BoundNameIndex& self) { self.index.check(); },
          nb::call_guard<nb::gil_scoped_release>(), "Raise ValueError unless all of it agrees.")
      .def("__len__", [](const BoundNameIndex& self) { return self.index.names(); })
      .def_prop_ro("chunks", [](const BoundNameIndex& self) { return self.index.chunks(); })
      .def_prop_ro("documents", [](const BoundNameIndex& self) { return self.index.documents(); })
      .def_prop_ro("numbered", [](const BoundNameIndex& self) { return self.index.numbered(); })
      .def_prop_ro_static("most_numbered", [](nb::handle) { return bridge::kMostNumbered; })
      .def_prop_ro("size_bytes", [](const BoundNameIndex& self) { return self.buffer.shape(0); })
      .def_prop_ro("ids", &ids, "The ids of the documents.")
      .def_prop_ro("names",
                   [](const BoundNameIndex& self) {
                     return column(self.index.entries().first(self.index.names()),
                                   [](const bridge::NameEntry& entry) { return entry.key; });
                   })
      .def("postings", &postings, "name"_a,
           "The chunks that may hold a name, and in which it is a run of its own.")
      .def(
          "definitions",
          [](const BoundNameIndex& self, Key name) {
            return column(self.index.definitions(name),
                          [](const bridge::Definition& here) { return here.document; });
          },
          "name"_a, "The documents whose title has a name.")
      .def("spans", &spans, "chunk"_a, "A chunk's spans as arrays: name, first, words, run.")
      .def(
          "stems",
          [](const BoundNameIndex& self, std::uint32_t chunk) {
            return nb::make_tuple(copied(self.index.stems(chunk)),
                                  copied(self.index.positions(chunk)));
          },
          "chunk"_a, "A chunk's stems and their positions.");
}

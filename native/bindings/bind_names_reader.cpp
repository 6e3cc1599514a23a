#include <nanobind/stl/string.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bridge/name_reader.h"
#include "document_names.h"

using namespace nb::literals;

namespace {

using Keys = Vec<const bridge::Key>;
using Stems = Vec<const bridge::Stem>;
using Bytes = Vec<const std::uint8_t>;
using Borders = Vec<const std::uint32_t>;

DocumentNames read_names(Keys plain, Stems stems, Bytes letters, Bytes flags, Borders sentences,
                         Borders chunks, std::string id, Keys title_names, Stems title_stems) {
  const bridge::NameStream words{view(plain), view(stems),     view(letters),
                                 view(flags), view(sentences), view(chunks)};
  const bool one_length =
      words.stems.size() == words.plain.size() && words.letters.size() == words.plain.size();
  if (!one_length ||
      !bridge::well_formed({words.plain, words.flags, words.sentences, words.chunks})) {
    throw nb::value_error(
        "plain, stems, letters and flags must have one length; sentences and chunks must ascend "
        "from 0 to the number of words and of sentences");
  }
  const auto names = view(title_names);
  if (std::adjacent_find(names.begin(), names.end(), std::greater_equal<>()) != names.end()) {
    throw nb::value_error("title_names must ascend, each of them once");
  }
  const auto of_title = view(title_stems);
  DocumentNames found;
  {
    nb::gil_scoped_release nogil;
    found.names = {std::move(id),
                   {names.begin(), names.end()},
                   {of_title.begin(), of_title.end()},
                   bridge::read_names(words)};
  }
  return found;
}

// The chunk of each element of rows with these borders.
nb::object chunks_of(const std::vector<std::uint32_t>& borders) {
  std::vector<std::uint32_t> chunks(borders.back());
  for (std::uint32_t chunk = 0; chunk + 1 < borders.size(); ++chunk) {
    std::fill(chunks.begin() + borders[chunk], chunks.begin() + borders[chunk + 1], chunk);
  }
  return nb::cast(to_numpy(std::move(chunks)));
}

// One field of each element.
template <typename T, typename Field>
nb::object column(const std::vector<T>& rows, Field T::* field) {
  std::vector<Field> values(rows.size());
  std::ranges::transform(rows, values.begin(), field);
  return nb::cast(to_numpy(std::move(values)));
}

}  // namespace

void bind_names_reader(nb::module_& m) {
  nb::class_<DocumentNames>(m, "DocumentNames", "What a document brings to the index of names.")
      .def("__len__", [](const DocumentNames& d) { return d.names.read.span_borders.size() - 1; })
      .def(
          "spans",
          [](const DocumentNames& d) {
            using bridge::NameSpan;
            const auto& spans = d.names.read.spans;
            return nb::make_tuple(chunks_of(d.names.read.span_borders),
                                  column(spans, &NameSpan::name), column(spans, &NameSpan::first),
                                  column(spans, &NameSpan::words), column(spans, &NameSpan::run));
          },
          "The spans that may be names, as arrays: chunk, name, first, words, run.")
      .def(
          "stem_places",
          [](const DocumentNames& d) {
            using bridge::StemPlace;
            const auto& stems = d.names.read.stems;
            return nb::make_tuple(chunks_of(d.names.read.stem_borders),
                                  column(stems, &StemPlace::stem),
                                  column(stems, &StemPlace::position));
          },
          "The stems of words, as arrays: chunk, stem, position.");
  m.def("read_names", &read_names, "plain"_a, "stems"_a, "letters"_a, "flags"_a, "sentences"_a,
        "chunks"_a, "id"_a, "title_names"_a, "title_stems"_a,
        "The spans and stems of one document, with what its title says.");
}

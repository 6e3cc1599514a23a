#include <nanobind/stl/vector.h>

#include <cstddef>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "arrays.h"
#include "bound_question.h"
#include "bridge/recognize.h"
#include "shared_index.h"

using namespace nb::literals;
using bridge::Mention;
using bridge::Probes;

namespace {

// The characters of the words [first, end).
nb::object quote(const BoundQuestion& question, std::size_t first, std::size_t end) {
  const auto& spans = question.words.spans;
  if (first >= end || end > spans.size()) {
    throw nb::index_error(("the words from " + std::to_string(first) + " to " +
                           std::to_string(end) + " were asked for; the question has " +
                           std::to_string(spans.size()))
                              .c_str());
  }
  return nb::steal(
      PyUnicode_Substring(question.text.ptr(), spans[first].start, spans[end - 1].end));
}

// Rows (text, start, end, entity).
nb::list rows(const BoundQuestion& question, const std::vector<Mention>& mentions) {
  nb::list all;
  for (const auto& [entity, place] : mentions) {
    const std::size_t end = place.first + place.words;
    all.append(nb::make_tuple(quote(question, place.first, end),
                              question.words.spans[place.first].start,
                              question.words.spans[end - 1].end, entity));
  }
  return all;
}

nb::list mentions(const BoundQuestion& question, const Vec<const bool>& stored, bool nested) {
  std::vector<Mention> found;
  {
    const nb::gil_scoped_release nogil;
    const Probes probes = bridge::probes(question.words);
    if (stored.shape(0) != probes.keys.size()) {
      throw nb::value_error(("stored has " + std::to_string(stored.shape(0)) + " entries, probes " +
                             std::to_string(probes.keys.size()) + "; they must be as many")
                                .c_str());
    }
    const std::vector<std::uint8_t> marks(stored.data(), stored.data() + stored.shape(0));
    found = bridge::choose(probes, marks, nested);
  }
  return rows(question, found);
}

nb::list mentions_in(const BoundQuestion& question, const std::vector<SharedIndex*>& indexes,
                     bool nested) {
  for (const SharedIndex* index : indexes) {
    if (index == nullptr) {
      throw nb::type_error("an index is None; it must be an EntityIndex");
    }
  }
  std::vector<Mention> found;
  {
    const nb::gil_scoped_release nogil;
    const Probes probes = bridge::probes(question.words);
    std::vector<std::uint8_t> stored(probes.keys.size());
    for (SharedIndex* index : indexes) {
      const auto lock = index->hold();
      bridge::mark_stored(index->index(), probes, stored);
    }
    found = bridge::choose(probes, stored, nested);
  }
  return rows(question, found);
}

// A read-only column of numbers that keeps the question alive.
template <auto Column>
void bind_column(nb::class_<BoundQuestion>& question, const char* name) {
  question.def_prop_ro(name, [](nb::handle self) {
    const auto& column = nb::cast<const BoundQuestion&>(self).words.*Column;
    using Number = typename std::remove_cvref_t<decltype(column)>::value_type;
    return nb::ndarray<nb::numpy, const Number, nb::ndim<1>>(column.data(), {column.size()}, self);
  });
}

}  // namespace

void bind_recognize(nb::module_& m) {
  using bridge::QuestionWords;
  m.attr("MAX_WORDS") = bridge::kMentionWords;
  nb::class_<BoundQuestion> question(m, "QuestionWords", "The words of a question; see words.h.");
  question.def_prop_ro("text", [](const BoundQuestion& self) { return self.text; });
  bind_column<&QuestionWords::keys>(question, "keys");
  bind_column<&QuestionWords::flags>(question, "flags");
  bind_column<&QuestionWords::plain>(question, "plain");
  bind_column<&QuestionWords::stems>(question, "stems");
  bind_column<&QuestionWords::letters>(question, "letters");
  question.def_prop_ro("spans", [](nb::handle self) {
    const auto& spans = nb::cast<const BoundQuestion&>(self).words.spans;
    return nb::ndarray<nb::numpy, const std::uint32_t, nb::shape<-1, 2>>(
        reinterpret_cast<const std::uint32_t*>(spans.data()), {spans.size(), 2}, self);
  });
  question.def("__len__", [](const BoundQuestion& self) { return self.words.size(); });
  question.def("quote", &quote, "first"_a, "end"_a, "The text of the words [first, end).");
  question.def("probes", [](const BoundQuestion& self) {
    return to_numpy(std::move(bridge::probes(self.words).keys));
  });
  question.def("mentions", &mentions, "stored"_a, "nested"_a);
  question.def("mentions_in", &mentions_in, "indexes"_a, "nested"_a);
}

#include <nanobind/stl/string_view.h>

#include <string_view>

#include "bridge/hash.h"
#include "module.h"

using namespace nb::literals;

void bind_hash(nb::module_& m) {
  m.attr("EMPTY_ENTITY") = bridge::kEmptyEntity;
  m.def("word_key", &bridge::word_key, "word"_a, "The 64-bit key of a normalised word.");
  m.def(
      "entity_key", [](Vec<const bridge::Key> words) { return bridge::entity_key(view(words)); },
      "words"_a, "The 64-bit key of an entity, from the keys of its words.");
}

#include "bridge/pack.h"

#include <algorithm>
#include <utility>

#include "arrays.h"
#include "strings.h"

using namespace nb::literals;

namespace {

using Numbers = Vec<const std::uint32_t>;

nb::object pack(const nb::str& text, const Spans& units, Numbers sizes, Numbers borders,
                const Spans& sections, Numbers groups, std::uint64_t target) {
  const bridge::Text characters_of = characters(text);
  const auto unit_spans = checked_spans(units, characters_of);
  const auto section_spans = checked_spans(sections, characters_of);
  const auto of_section = view(borders);
  if (sizes.shape(0) != unit_spans.size() || groups.shape(0) != section_spans.size() ||
      of_section.size() != section_spans.size() + 1) {
    throw nb::value_error(
        "there must be a size a unit, a group a section, and one border more than sections");
  }
  if (of_section.front() != 0 || of_section.back() != unit_spans.size() ||
      !std::ranges::is_sorted(of_section)) {
    throw nb::value_error("borders must ascend from 0 to the number of units");
  }
  if (std::ranges::any_of(unit_spans, [](bridge::Span s) { return s.start == s.end; })) {
    throw nb::value_error("a unit is empty");
  }
  bridge::Packed packed;
  {
    const nb::gil_scoped_release nogil;
    packed = bridge::pack(characters_of, {unit_spans, view(sizes)},
                          {of_section, section_spans, view(groups)}, target);
  }
  return nb::make_tuple(to_numpy(std::move(packed.first)), to_numpy(std::move(packed.sections)));
}

}  // namespace

void bind_pack(nb::module_& m) {
  m.def("pack", &pack, "text"_a, "units"_a, "sizes"_a, "borders"_a, "sections"_a, "groups"_a,
        "target"_a, "The first unit of each chunk, and the section it belongs to.");
}

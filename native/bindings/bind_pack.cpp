#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bridge/cut.h"
#include "bridge/pack.h"
#include "strings.h"

using namespace nb::literals;

namespace {

using Numbers = Vec<const std::uint32_t>;

// The tokens of the units from each border up to the next.
std::vector<std::uint32_t> sums(std::span<const std::uint32_t> tokens,
                                std::span<const std::uint32_t> borders) {
  std::vector<std::uint32_t> found;
  for (std::size_t i = 0; i + 1 < borders.size(); ++i) {
    const auto here = tokens.subspan(borders[i], borders[i + 1] - borders[i]);
    found.push_back(std::accumulate(here.begin(), here.end(), std::uint32_t{0}));
  }
  return found;
}

nb::object pack(const nb::str& text, const Spans& units, Numbers tokens, Numbers sizes,
                Numbers borders, const Spans& sections, Numbers groups, std::uint64_t target) {
  const bridge::Text characters_of = characters(text);
  const auto unit_spans = checked_spans(units, characters_of);
  const auto section_spans = checked_spans(sections, characters_of);
  const auto of_section = view(borders);
  if (sizes.shape(0) != unit_spans.size() || tokens.shape(0) != unit_spans.size() ||
      groups.shape(0) != section_spans.size() || of_section.size() != section_spans.size() + 1) {
    throw nb::value_error(
        "there must be tokens and a size a unit, a group a section, and one border more than "
        "sections");
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
  packed.first.push_back(static_cast<std::uint32_t>(unit_spans.size()));
  std::vector<std::uint32_t> of_chunks = sums(view(tokens), packed.first);
  return nb::make_tuple(to_numpy(std::move(packed.first)), to_numpy(std::move(of_chunks)),
                        to_numpy(std::move(packed.sections)));
}

nb::object unit_sizes(const Spans& spans, Numbers tokens, std::uint32_t chars_per_token,
                      std::uint64_t target) {
  if (spans.shape(1) != 2 || tokens.shape(0) != spans.shape(0) || chars_per_token == 0) {
    throw nb::value_error("there must be tokens for each row (start, end), and characters a token");
  }
  std::vector<std::uint32_t> sizes, long_ones;
  sizes.reserve(spans.shape(0));
  for (std::size_t i = 0; i < spans.shape(0); ++i) {
    const std::uint32_t length = spans.data()[2 * i + 1] - spans.data()[2 * i];
    const std::uint32_t least = length / chars_per_token + (length % chars_per_token != 0);
    sizes.push_back(std::max(tokens.data()[i], least));
    if (sizes.back() > target) {
      long_ones.push_back(static_cast<std::uint32_t>(i));
    }
  }
  return nb::make_tuple(to_numpy(std::move(sizes)), to_numpy(std::move(long_ones)));
}

nb::object atoms(const nb::str& text, const Spans& rows, std::size_t most) {
  const bridge::Text characters_of = characters(text);
  const auto spans = checked_spans(rows, characters_of);
  const bridge::CharTable& chars = char_table();
  std::vector<bridge::Odd> found;
  {
    const nb::gil_scoped_release nogil;
    found = bridge::atoms(characters_of, spans, chars, most);
  }
  return rows_of(std::move(found));
}

nb::object clauses(const nb::str& text, Numbers places, const Spans& rows, Numbers sizes,
                   std::uint64_t target) {
  const bridge::Text characters_of = characters(text);
  const auto spans = checked_spans(rows, characters_of);
  if (places.shape(0) != spans.size() || sizes.shape(0) != spans.size()) {
    throw nb::value_error("there must be a place and a size an atom");
  }
  for (std::size_t i = 0; i < spans.size(); ++i) {
    if (spans[i].start == spans[i].end || (i > 0 && spans[i].start < spans[i - 1].end)) {
      throw nb::value_error("atoms must ascend, none of them empty");
    }
  }
  std::vector<std::uint32_t> ends;
  {
    const nb::gil_scoped_release nogil;
    ends = bridge::clauses(characters_of, {view(places), spans, view(sizes)}, target);
  }
  return nb::cast(to_numpy(std::move(ends)));
}

}  // namespace

void bind_pack(nb::module_& m) {
  m.def("pack", &pack, "text"_a, "units"_a, "tokens"_a, "sizes"_a, "borders"_a, "sections"_a,
        "groups"_a, "target"_a,
        "The first unit of each chunk and where the last one ends, its tokens, and the section it "
        "belongs to.");
  m.def("unit_sizes", &unit_sizes, "spans"_a, "tokens"_a, "chars_per_token"_a, "target"_a,
        "What each unit takes of a chunk's room, and which units are too long for a chunk.");
  m.def("atoms", &atoms, "text"_a, "spans"_a, "most"_a,
        "The first words and CJK characters of some spans, as rows (span, start, end).");
  m.def("clauses", &clauses, "text"_a, "places"_a, "atoms"_a, "sizes"_a, "target"_a,
        "Where each piece of a span ends, as a number of atoms.");
}

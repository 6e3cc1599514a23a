#include "bridge/cut.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "random.h"
#include "toy_chars.h"

using namespace bridge;

namespace {

using Numbers = std::vector<std::uint32_t>;

std::vector<Odd> atoms_of(std::u32string_view text, std::size_t most = 100) {
  const Span spans[] = {whole(text)};
  return atoms(wide(text), spans, toy_chars(), most);
}

// One letter an atom, each of size 1, with `gaps` between them.
Numbers cut(std::u32string_view text, std::uint64_t target) {
  std::vector<Span> spans;
  Numbers sizes, places;
  for (const Odd& atom : atoms_of(text)) {
    spans.push_back(atom.span);
    sizes.push_back(1);
    places.push_back(0);
  }
  return clauses(wide(text), {places, spans, sizes}, target);
}

}  // namespace

TEST_CASE("words are atoms, and so is every CJK character with what follows it") {
  CHECK(atoms_of(U" ab\u6F22\u3002c") == std::vector<Odd>{{0, {1, 3}}, {0, {3, 5}}, {0, {5, 6}}});
  CHECK(atoms_of(U"\u3000 ") == std::vector<Odd>{{0, {0, 1}}});  // white space, and a CJK character
}

TEST_CASE("no more atoms are given than were asked for, and the rest is found from their end") {
  const std::u32string_view text = U"a b c";
  CHECK(atoms_of(text, 2).size() == 2);
  const Span rest[] = {{3, 5}};
  CHECK(atoms(wide(text), rest, toy_chars(), 2) == std::vector<Odd>{{0, {4, 5}}});
}

TEST_CASE("a piece ends after a clause in its second half, else where it is full") {
  CHECK(cut(U"a b c d e f", 4) == Numbers{4, 6});
  CHECK(cut(U"a b c, d e f", 4) == Numbers{3, 6});
  CHECK(cut(U"a b c\nd e f", 4) == Numbers{3, 6});
  CHECK(cut(U"a, b c d e f", 4) == Numbers{4, 6});
}

TEST_CASE("pieces hold every atom once, none of them holds two spans, and they fit") {
  Random random(5);
  for (int round = 0; round < 300; ++round) {
    const std::u32string text = random_text(random, 60);
    const auto middle = static_cast<std::uint32_t>(text.size() / 2);
    const Span halves[] = {{0, middle}, {middle, whole(text).end}};
    const std::uint32_t target = 1 + random.below(6);
    std::vector<Span> spans;
    Numbers sizes, places;
    for (const Odd& atom : atoms(wide(text), halves, toy_chars(), 1000)) {
      spans.push_back(atom.span);
      places.push_back(atom.place);
      sizes.push_back(1 + random.below(target));
    }
    const Numbers ends = clauses(wide(text), {places, spans, sizes}, target);
    std::uint32_t first = 0;
    for (const std::uint32_t end : ends) {
      REQUIRE(first < end);
      std::uint64_t size = 0;
      for (std::uint32_t at = first; at < end; ++at) {
        CHECK(places[at] == places[first]);
        size += sizes[at];
      }
      CHECK(size <= target);
      first = end;
    }
    CHECK(first == spans.size());
  }
}

#include "bridge/pack.h"

#include <doctest/doctest.h>

#include <numeric>

#include "random.h"
#include "toy_chars.h"

using namespace bridge;

namespace {

// Sections of units of one letter each, one after another.
struct Pages {
  std::u32string text;
  std::vector<Span> units, spans;
  std::vector<std::uint32_t> sizes, borders{0}, groups;

  Pages& section(std::uint32_t group, std::vector<std::uint32_t> of_units, char32_t last = U'a') {
    const auto start = static_cast<std::uint32_t>(text.size());
    for (const std::uint32_t size : of_units) {
      const auto at = static_cast<std::uint32_t>(text.size());
      text += last;
      units.push_back({at, at + 1});
      sizes.push_back(size);
    }
    spans.push_back({start, static_cast<std::uint32_t>(text.size())});
    borders.push_back(static_cast<std::uint32_t>(units.size()));
    groups.push_back(group);
    return *this;
  }
  Packed packed(std::uint64_t target) const {
    return pack(wide(text), {units, sizes}, {borders, spans, groups}, target);
  }
};

using Numbers = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("units are packed until the next one would not fit") {
  const Packed packed = Pages().section(0, {40, 40, 40, 40, 40}).packed(100);
  CHECK(packed.first == Numbers{0, 2, 4});
  CHECK(packed.sections == Numbers{0, 0, 0});
}

TEST_CASE("a tiny last chunk is evened out, one that is alone in its section is not") {
  CHECK(Pages().section(0, {30, 30, 30, 10}).packed(90).first == Numbers{0, 2});
  CHECK(Pages().section(0, {90}).section(0, {10}).packed(90).first == Numbers{0, 1});
}

TEST_CASE("groups always cut, sections only where the running chunk is large") {
  CHECK(Pages().section(0, {10}).section(1, {10}).packed(90).first == Numbers{0, 1});
  CHECK(Pages().section(0, {10}).section(0, {10}).packed(90).first == Numbers{0});
  CHECK(Pages().section(0, {40}).section(0, {10}).packed(90).first == Numbers{0, 1});
}

TEST_CASE("a chunk over several sections belongs to the one that has most of it") {
  CHECK(Pages().section(0, {5}).section(0, {70}).packed(90).sections == Numbers{1});
  CHECK(Pages().section(0, {5}).section(0, {5}).packed(90).sections == Numbers{0});
}

TEST_CASE("a short line goes with what it introduces unless it is a sentence") {
  CHECK(Pages().section(0, {50, 4, 60}).packed(90).first == Numbers{0, 1});
  CHECK(Pages().section(0, {50, 4, 60}, U'.').packed(90).first == Numbers{0, 2});
}

TEST_CASE("nothing gives no chunk") {
  CHECK(Pages().packed(10).first.empty());
  CHECK(Pages().section(0, {}).section(1, {}).packed(10).first.empty());
}

TEST_CASE("every chunk starts behind the one before and only a single unit may be too large") {
  Random random(7);
  for (int round = 0; round < 300; ++round) {
    Pages pages;
    for (std::uint32_t s = 0, sections = random.below(6); s < sections; ++s) {
      Numbers sizes(random.below(12));
      for (std::uint32_t& size : sizes) {
        size = 1 + random.below(30);
      }
      pages.section(random.below(2), sizes, random.below(2) != 0 ? U'.' : U'a');
    }
    const std::uint32_t target = 1 + random.below(60);
    const Packed packed = pages.packed(target);
    REQUIRE(packed.first.size() == packed.sections.size());
    REQUIRE(packed.first.empty() == pages.units.empty());
    for (std::size_t c = 0; c < packed.first.size(); ++c) {
      const std::size_t first = packed.first[c];
      const std::size_t last =
          c + 1 < packed.first.size() ? packed.first[c + 1] : pages.units.size();
      REQUIRE(first < last);
      const auto sum = std::accumulate(pages.sizes.begin() + static_cast<std::ptrdiff_t>(first),
                                       pages.sizes.begin() + static_cast<std::ptrdiff_t>(last), 0U);
      CHECK((sum <= target || last - first == 1));
    }
  }
}

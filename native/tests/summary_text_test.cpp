#include "bridge/summary_text.h"

#include <doctest/doctest.h>

#include "toy_chars.h"

using namespace bridge;

namespace {

std::u32string line(std::u32string_view text, std::vector<Span> spans,
                    std::vector<std::uint32_t> picked, std::size_t longest = 99) {
  return summary_text(wide(text), spans, picked, longest, toy_chars());
}

}  // namespace

TEST_CASE("neighbours are joined by a space, others by a mark") {
  const std::vector<Span> spans{{0, 1}, {1, 2}, {2, 3}};
  CHECK(line(U"abc", spans, {0, 1}) == U"a b");
  CHECK(line(U"abc", spans, {0, 2}) == U"a \u2026 c");
  CHECK(line(U"abc", spans, {}) == U"");
}

TEST_CASE("white space is folded, a heading's marks are dropped, long sentences are cut") {
  CHECK(line(U"##  a \n\t b ", {{0, 11}}, {0}) == U"a b");
  CHECK(line(U"one two three", {{0, 13}}, {0}, 9) == U"one two\u2026");
  CHECK(line(U"incomprehensible", {{0, 16}}, {0}, 4) == U"inco\u2026");
  CHECK(line(U"a b", {{0, 1}, {2, 3}}, {0, 1}, 0) == U"\u2026 \u2026");
}

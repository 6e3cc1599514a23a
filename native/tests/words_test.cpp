#include "bridge/words.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string_view>

#include "random.h"
#include "toy_chars.h"

using namespace bridge;

namespace {

const WordLists& lists() {
  static const WordLists made{KeySet(std::vector{word_key("the"), word_key("of")}),
                              KeySet(std::vector{word_key("of")})};
  return made;
}

WordsRead read(std::u32string_view text) {
  const Span span = whole(text);
  return read_words(wide(text), {&span, 1}, toy_chars(), lists());
}

std::vector<Key> keys(std::vector<std::string_view> words) {
  std::vector<Key> all;
  for (const auto word : words) {
    all.push_back(word.empty() ? 0 : word_key(word));
  }
  return all;
}

}  // namespace

TEST_CASE("text is cut into words, normalised, and breaks") {
  CHECK(read(U"The U.S. Army's AT&T deal").keys == keys({"the", "us", "army", "at&t", "deal"}));
  CHECK(read(U"3.14, 1,234.5 and/or").keys == keys({"3.14", "", "1,234.5", "and", "", "or"}));
  CHECK(read(U"l'avion d'a one - two ... .").keys ==
        keys({"avion", "d'a", "one", "", "two", ""}));
  CHECK(read(U"J. K. snake_case").keys == keys({"j", "k", "snake", "case"}));
}

TEST_CASE("flags say what a spelling says") {
  CHECK(read(U"the of WHO mRNA 1984 1234567 747b word longword").flags ==
        std::vector<std::uint8_t>{kStop, kStop | kConnector, kCapital | kAcronym, kCapital,
                                  kNumber | kLong, kNumber, kNumber | kLong, 0, kLong});
  CHECK(read(U",").flags == std::vector<std::uint8_t>{kBreak});
}

TEST_CASE("words that are not ASCII are left to the caller") {
  const WordsRead found = read(U"caf\u00E9 \u6F24\u6F24");
  CHECK(found.odd == std::vector<Odd>{{0, {0, 4}}, {1, {5, 6}}, {2, {6, 7}}});
  CHECK(found.keys == std::vector<Key>{0, 0, 0});
}

TEST_CASE("an endless word is cut") {
  CHECK(read(std::u32string(1000, U'a')).keys.size() == 16);
}

TEST_CASE("any text is read in spans whose borders ascend, each word inside its own") {
  Random random(3);
  for (int round = 0; round < 3000; ++round) {
    const std::u32string text = random_text(random, 60);
    const auto size = static_cast<std::uint32_t>(text.size());
    const std::uint32_t middle = random.below(size + 1);
    const std::vector<Span> spans{{0, middle}, {middle, size}};
    const WordsRead found = read_words(wide(text), spans, toy_chars(), lists());
    REQUIRE(found.keys.size() == found.flags.size());
    REQUIRE(found.borders.size() == 3);
    REQUIRE(found.borders.back() == found.keys.size());
    REQUIRE(std::ranges::is_sorted(found.borders));
    for (const Odd& odd : found.odd) {
      const Span& span = spans[odd.place < found.borders[1] ? 0 : 1];
      REQUIRE(span.start <= odd.span.start);
      REQUIRE(odd.span.start < odd.span.end);
      REQUIRE(odd.span.end <= span.end);
    }
  }
}

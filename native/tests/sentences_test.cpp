#include "bridge/sentences.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "random.h"
#include "toy_chars.h"

using namespace bridge;

namespace {

KeySet keys(std::vector<std::string_view> words) {
  std::vector<Key> all;
  for (const auto word : words) {
    all.push_back(word_key(word));
  }
  return KeySet(all);
}

const SentenceWords& words() {
  static const SentenceWords lists{keys({"mr", "e.g"}), keys({"no"}), keys({"inc"}), keys({"The"}),
                                   keys({"the", "of"})};
  return lists;
}

std::vector<std::u32string> cut(std::u32string_view text) {
  std::vector<std::u32string> found;
  for (const Span span : sentences(wide(text), 0, text.size(), toy_chars(), words())) {
    found.emplace_back(text.substr(span.start, span.end - span.start));
  }
  return found;
}

using Strings = std::vector<std::u32string>;

}  // namespace

TEST_CASE("stops end sentences, abbreviations and initials do not") {
  CHECK(cut(U"Mr. Bond met J. Doe, e.g. at No. 7. It rained.") ==
        Strings{U"Mr. Bond met J. Doe, e.g. at No. 7.", U"It rained."});
  CHECK(cut(U"Acme Inc. Reports. Acme Inc. The firm.") ==
        Strings{U"Acme Inc. Reports.", U"Acme Inc.", U"The firm."});
  CHECK(cut(U"1. First. In 1999. Then") == Strings{U"1. First.", U"In 1999.", U"Then"});
  CHECK(cut(U"So it was.[12] \"Go!\" He went") ==
        Strings{U"So it was.[12]", U"\"Go!\"", U"He went"});
}

TEST_CASE("wide stops need no space") {
  CHECK(cut(U"\u6F22\u3002\u6F22\uFF01\u300D\u6F22") ==
        Strings{U"\u6F22\u3002", U"\u6F22\uFF01\u300D", U"\u6F22"});
}

TEST_CASE("blank lines, items and rows are borders, a small letter goes on") {
  CHECK(cut(U"one\n\ntwo\nthree\n- four\n(a) five\n``` six") ==
        Strings{U"one", U"two\nthree", U"- four", U"(a) five", U"``` six"});
}

TEST_CASE("any text is cut into trimmed spans that hold all of it, whatever its units") {
  Random random(11);
  for (int round = 0; round < 3000; ++round) {
    const std::u32string text = random_text(random, 80);
    std::uint32_t start = random.below(static_cast<std::uint32_t>(text.size()) + 1);
    std::uint32_t end = random.below(static_cast<std::uint32_t>(text.size()) + 1);
    if (start > end) {
      std::swap(start, end);
    }
    const auto spans = sentences(wide(text), start, end, toy_chars(), words());
    std::size_t at = start;
    const auto space = [&](std::size_t i) { return (toy_chars()[text[i]] & kSpace) != 0; };
    for (const Span span : spans) {
      REQUIRE(span.start < span.end);
      REQUIRE(!space(span.start));
      REQUIRE(!space(span.end - 1));
      for (; at < span.start; ++at) {
        REQUIRE(space(at));
      }
      at = span.end;
    }
    for (; at < end; ++at) {
      REQUIRE(space(at));
    }
    std::vector<std::uint16_t> units(text.begin(), text.end());
    if (std::ranges::all_of(text, [](char32_t sign) { return sign < 0x10000; })) {
      REQUIRE(sentences(std::span<const std::uint16_t>(units), start, end, toy_chars(), words()) ==
              spans);
    }
  }
}

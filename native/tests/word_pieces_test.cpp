#include "bridge/word_pieces.h"

#include <doctest/doctest.h>

#include <string>

#include "random.h"
#include "toy_chars.h"

using namespace bridge;

namespace {

std::string plain_signs() {
  std::string plain(0x100, '\0');
  for (std::size_t sign = '!'; sign <= '~'; ++sign) {
    plain[sign] = static_cast<char>(toy_lower(static_cast<char32_t>(sign)));
  }
  plain[0xE9] = 'e';
  return plain;
}

const WordPieces& pieces() {
  static const WordPieces made("a\nab\nabc\n##c\n##cd\n##e\n1\n##1\n", plain_signs());
  return made;
}

std::uint32_t tokens(std::u32string_view text) {
  const Span span = whole(text);
  const TokenCount found = pieces().count(wide(text), {&span, 1}, toy_chars());
  CHECK(found.odd.empty());
  return found.tokens.at(0);
}

}  // namespace

TEST_CASE("a word is its longest known beginnings, a sign is a token, an unknown word is one") {
  CHECK(tokens(U"") == 0);
  CHECK(tokens(U"abc") == 1);
  CHECK(tokens(U"ABCD") == 1);  // "abc" leaves "d"
  CHECK(tokens(U"abcd") == 1);
  CHECK(tokens(U"abccde") == 3);
  CHECK(tokens(U" abc\u00E9  ab-cd, ") == 2 + 1 + 1 + 1 + 1);
  CHECK(tokens(std::u32string(100, U'1')) == 100);
  CHECK(tokens(std::u32string(101, U'1')) == 1);
}

TEST_CASE("what is not plain is left to the caller, piece by piece") {
  const std::u32string_view text = U"ab \u6F22a ab\u0301, abc";
  const Span span = whole(text);
  const TokenCount found = pieces().count(wide(text), {&span, 1}, toy_chars());
  CHECK(found.tokens == std::vector<std::uint32_t>{2});
  CHECK(found.odd == std::vector<Odd>{{0, {3, 5}}, {0, {6, 10}}});
}

TEST_CASE("a span with white space that is deleted is left to the caller as a whole") {
  const std::u32string_view text = U"ab \u6F22 ab\vab. abc";
  const std::vector<Span> spans{{0, 11}, {12, 15}};
  const TokenCount found = pieces().count(wide(text), spans, toy_chars());
  CHECK(found.tokens == std::vector<std::uint32_t>{0, 1});
  CHECK(found.odd == std::vector<Odd>{{0, {0, 11}}});
}

TEST_CASE("any text is counted, and alike in any units") {
  Random random(5);
  for (int round = 0; round < 2000; ++round) {
    std::u32string text = random_text(random, 60);
    std::erase_if(text, [](char32_t sign) { return sign > 0xFF; });
    const auto units = narrow(text);
    const Span span = whole(text);
    const TokenCount found = pieces().count(wide(text), {&span, 1}, toy_chars());
    const Text same = std::span<const std::uint8_t>(units);
    CHECK(pieces().count(same, {&span, 1}, toy_chars()).tokens == found.tokens);
    CHECK(found.tokens.at(0) <= text.size());
  }
}

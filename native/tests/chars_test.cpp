#include "bridge/chars.h"

#include <doctest/doctest.h>

#include "random.h"
#include "toy_chars.h"

using namespace bridge;

TEST_CASE("a table says of every character what it was made from, and what the rules name") {
  constexpr unsigned unicode = kSpace | kAlnum | kAlpha | kDecimal | kDigit | kLower;
  for (char32_t sign = 0; sign < CharTable::kChars; ++sign) {
    REQUIRE((toy_chars()[sign] & unicode) == toy_classes(sign));
  }
  CHECK((toy_chars()[U'\u6F22'] & kHan) != 0);
  CHECK((toy_chars()[U'\u0301'] & kMark) != 0);
  CHECK((toy_chars()[U'\u3002'] & (kWideStop | kPhraseBreak)) == (kWideStop | kPhraseBreak));
  CHECK((toy_chars()[U'a'] & (kMark | kHan | kHiragana | kPhraseBreak | kBullet)) == 0);
}

TEST_CASE("the key of code points is that of their UTF-8") {
  CHECK(spelled_key(U"") == word_key(""));
  CHECK(spelled_key(U"word") == word_key("word"));
  CHECK(spelled_key(U"\u00E9\u6F22\U0001F916") == word_key("\xC3\xA9\xE6\xBC\xA2\xF0\x9F\xA4\x96"));
}

TEST_CASE("a set of keys holds what was put into it and nothing else") {
  Random random(7);
  std::vector<Key> keys;
  for (int i = 0; i < 1000; ++i) {
    keys.push_back(random.below(1u << 31) * 2 + 1);  // odd
  }
  keys.push_back(keys.front());
  const KeySet set(keys);
  for (const Key key : keys) {
    CHECK(set.contains(key));
    CHECK(!set.contains(key + 1));
  }
  CHECK(!KeySet({}).contains(1));
  CHECK(!set.contains(0));
}

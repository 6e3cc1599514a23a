// Text as code points, and what the rules of reading know of each of them.
//
// What Unicode says of a character comes from the caller (Python's own tables, so that both sides
// agree on every character of every version); the small sets that the rules name are in chars.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "bridge/hash.h"

namespace bridge {

// The code points of a text, in units of one width, as Python stores a str.
using Text = std::variant<std::span<const std::uint8_t>, std::span<const std::uint16_t>,
                          std::span<const std::uint32_t>>;

inline std::size_t length(const Text& text) {
  return std::visit([](auto units) { return units.size(); }, text);
}

// The characters [start, end) of a text.
struct Span {
  std::uint32_t start;
  std::uint32_t end;
  bool operator==(const Span&) const = default;
};

// What stands at `span` of a text and is left to the caller; `place` is the number of whatever it
// belongs to.
struct Odd {
  std::uint32_t place;
  Span span;
  bool operator==(const Odd&) const = default;
};

enum CharClass : std::uint16_t {
  // From Unicode, named as the methods of Python's str.
  kSpace = 1,
  kAlnum = 2,
  kAlpha = 4,
  kDecimal = 8,
  kDigit = 16,
  kLower = 32,
  // Words; see words.h.
  kMark = 64,          // goes with the letter before it
  kHan = 128,          // a word by itself
  kHiragana = 256,     // a word with those beside it
  kPhraseBreak = 512,  // ends a phrase
  // Sentences; see sentences.h.
  kNarrowStop = 1024,    // must be followed by white space
  kWideStop = 2048,      // stands alone
  kNarrowCloser = 4096,  // goes with the narrow stop before it
  kWideCloser = 8192,
  kBullet = 16384,  // a line that starts with it is an item or a row
};

// What Unicode says of one character.
struct Unicode {
  std::uint16_t (*classes)(char32_t);  // kSpace to kLower
  char32_t (*lower)(char32_t);         // its lower case; a mark where that is more than one
};

// The classes of all characters; immutable. Memory: about 100 KB.
class CharTable {
 public:
  static constexpr char32_t kChars = 0x110000;

  // Cost: about 8 ms.
  explicit CharTable(Unicode unicode);

  // Requires: sign < kChars.
  std::uint16_t operator[](char32_t sign) const { return pages_[page_of_[sign >> 8]][sign & 255]; }
  // The classes of the first 256.
  std::span<const std::uint16_t, 256> latin() const { return pages_[page_of_[0]]; }
  char32_t lower(char32_t sign) const { return unicode_.lower(sign); }

 private:
  using Page = std::array<std::uint16_t, 256>;

  Unicode unicode_;
  std::array<std::uint16_t, kChars / 256> page_of_{};
  std::vector<Page> pages_;
};

// `word_key` of the UTF-8 of some code points.
Key spelled_key(std::u32string_view signs);

// A set of word keys. 0 is in no set.
class KeySet {
 public:
  explicit KeySet(std::span<const Key> keys);

  bool contains(Key key) const {
    std::size_t at = key & mask_;
    while (slots_[at] != 0 && slots_[at] != key) {
      at = (at + 1) & mask_;
    }
    return slots_[at] != 0;
  }

 private:
  std::size_t mask_;
  std::vector<Key> slots_;  // at most half of them taken
};

}  // namespace bridge

// A table of characters for the tests: ASCII, a few letters, and every third one of the others.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bridge/chars.h"

namespace bridge {

inline std::uint16_t toy_classes(char32_t sign) {
  const bool small = (U'a' <= sign && sign <= U'z') || sign == U'\u00E9';
  const bool large = U'A' <= sign && sign <= U'Z';
  const bool digit = U'0' <= sign && sign <= U'9';
  const bool other = sign >= 0x2E80 && sign % 3 == 0;
  const bool space = sign == ' ' || (U'\t' <= sign && sign <= U'\r') || sign == 0x3000;
  return static_cast<std::uint16_t>((space ? kSpace : 0) | (digit ? kDigit | kDecimal : 0) |
                                    (small ? kLower : 0) |
                                    (small || large || other ? kAlpha | kAlnum : 0) |
                                    (digit ? kAlnum : 0));
}

inline char32_t toy_lower(char32_t sign) {
  return U'A' <= sign && sign <= U'Z' ? sign + 32 : sign;
}

inline const CharTable& toy_chars() {
  static const CharTable table({&toy_classes, &toy_lower});
  return table;
}

inline Text wide(std::u32string_view text) {
  static_assert(sizeof(char32_t) == sizeof(std::uint32_t));
  return std::span(reinterpret_cast<const std::uint32_t*>(text.data()), text.size());
}

// The same text in units of one byte. Requires: every character is below 256.
inline std::vector<std::uint8_t> narrow(std::u32string_view text) {
  return {text.begin(), text.end()};
}

inline Span whole(std::u32string_view text) {
  return {0, static_cast<std::uint32_t>(text.size())};
}

// Characters that the rules ask about, in any order.
template <typename Random>
std::u32string random_text(Random& random, std::uint32_t longest) {
  constexpr std::u32string_view kSigns =
      U"aB1c d  \n\t.!?,;'-()[]|&#`~\"/\u00E9\u0301\u2018\u2019\u2013\u2014\u2026\u3002\u3001"
      U"\u6F22\u306E\uFF01\U0001F916";
  std::u32string text;
  for (std::uint32_t i = 0, size = random.below(longest); i < size; ++i) {
    text.push_back(kSigns[random.below(static_cast<std::uint32_t>(kSigns.size()))]);
  }
  return text;
}

}  // namespace bridge

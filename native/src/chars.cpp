#include "bridge/chars.h"

#include <algorithm>
#include <bit>
#include <map>

namespace bridge {
namespace {

struct Range {
  char32_t first, last;
};

// Python's \w leaves marks out.
constexpr Range kMarks[] = {
    {0x00AD, 0x00AD}, {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x05BF, 0x05BF},
    {0x05C1, 0x05C7}, {0x0610, 0x061A}, {0x064B, 0x065F}, {0x0670, 0x0670}, {0x06D6, 0x06ED},
    {0x0711, 0x074A}, {0x07A6, 0x07B0}, {0x0900, 0x0963}, {0x0966, 0x0DFF}, {0x0E31, 0x0E3A},
    {0x0E47, 0x0E4E}, {0x0EB1, 0x0ECD}, {0x0F71, 0x0F84}, {0x102B, 0x103E}, {0x17B4, 0x17D3},
    {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x20D0, 0x20F0}, {0x3099, 0x309A}, {0xFE00, 0xFE0F},
    {0xFE20, 0xFE2F}, {0x200C, 0x200D}};
// As tokens.py has them; from U+8C48 on, with all of Hangul.
constexpr Range kHanSigns[] = {{0x3005, 0x3005}, {0x3007, 0x3007},  {0x3400, 0x4DBF},
                               {0x4E00, 0x9FFF}, {0x8C48, 0xFAFF}, {0x20000, 0x3FFFF}};
constexpr Range kHiraganaSigns[] = {{0x3041, 0x309F}};

// “”„‘«»‹›…—―•●▪■◦‣。，、；：！？（）「」『』《》〈〉【】،؛؟।
constexpr std::u32string_view kPhraseBreaks =
    U",;:!?()[]{}<>\"\u201C\u201D\u201E\u2018\u00AB\u00BB\u2039\u203A\u2026\u2014\u2015|/\\"
    U"\u2022\u25CF\u25AA\u25A0\u25E6\u2023=\u3002\uFF0C\u3001\uFF1B\uFF1A\uFF01\uFF1F\uFF08"
    U"\uFF09\u300C\u300D\u300E\u300F\u300A\u300B\u3008\u3009\u3010\u3011\u060C\u061B\u061F"
    U"\u0964";
constexpr std::u32string_view kNarrowStops = U".!?";
// 。！？…｡．؟۔।॥։።။។
constexpr std::u32string_view kWideStops =
    U"\u3002\uFF01\uFF1F\u2026\uFF61\uFF0E\u061F\u06D4\u0964\u0965\u0589\u1362\u104B\u17D4";
// ”’»
constexpr std::u32string_view kNarrowClosers = U"\"'\u201D\u2019\u00BB)]}";
// 」』”’）》】〉〕
constexpr std::u32string_view kWideClosers =
    U"\u300D\u300F\u201D\u2019\uFF09\u300B\u3011\u3009\u3015\"')]";
// •·‣◦▪●–—
constexpr std::u32string_view kBullets =
    U"-*+\u2022\u00B7\u2023\u25E6\u25AA\u25CF\u2013\u2014|#>";

class Classes {
 public:
  explicit Classes(const Unicode& unicode) : of_(CharTable::kChars) {
    for (char32_t sign = 0; sign < CharTable::kChars; ++sign) {
      of_[sign] = unicode.classes(sign);
    }
    add(kMarks, kMark);
    add(kHanSigns, kHan);
    add(kHiraganaSigns, kHiragana);
    add(kPhraseBreaks, kPhraseBreak);
    add(kNarrowStops, kNarrowStop);
    add(kWideStops, kWideStop);
    add(kNarrowClosers, kNarrowCloser);
    add(kWideClosers, kWideCloser);
    add(kBullets, kBullet);
  }

  const std::uint16_t* page(std::size_t number) const { return &of_[number * 256]; }

 private:
  void add(std::span<const Range> ranges, CharClass name) {
    for (const auto [first, last] : ranges) {
      for (char32_t sign = first; sign <= last; ++sign) {
        of_[sign] |= name;
      }
    }
  }
  void add(std::u32string_view signs, CharClass name) {
    for (const char32_t sign : signs) {
      of_[sign] |= name;
    }
  }

  std::vector<std::uint16_t> of_;
};

}  // namespace

CharTable::CharTable(Unicode unicode) : unicode_(unicode) {
  const Classes classes(unicode);
  std::map<Page, std::uint16_t> known;
  for (std::size_t number = 0; number < page_of_.size(); ++number) {
    Page page;
    std::copy_n(classes.page(number), page.size(), page.begin());
    if (number > 0 && page == pages_[page_of_[number - 1]]) {  // as most are
      page_of_[number] = page_of_[number - 1];
      continue;
    }
    const auto [entry, is_new] = known.try_emplace(page, static_cast<std::uint16_t>(known.size()));
    if (is_new) {
      pages_.push_back(page);
    }
    page_of_[number] = entry->second;
  }
}

Key spelled_key(std::u32string_view signs) {
  Key hash = kEmptySpelling;
  const auto put = [&](char32_t byte) { hash = spell(hash, static_cast<unsigned char>(byte)); };
  for (const char32_t sign : signs) {
    if (sign < 0x80) {
      put(sign);
    } else if (sign < 0x800) {
      put(0xC0 | sign >> 6);
      put(0x80 | (sign & 63));
    } else if (sign < 0x10000) {
      put(0xE0 | sign >> 12);
      put(0x80 | (sign >> 6 & 63));
      put(0x80 | (sign & 63));
    } else {
      put(0xF0 | sign >> 18);
      put(0x80 | (sign >> 12 & 63));
      put(0x80 | (sign >> 6 & 63));
      put(0x80 | (sign & 63));
    }
  }
  return mix(hash);
}

KeySet::KeySet(std::span<const Key> keys)
    : mask_(std::bit_ceil(2 * keys.size() + 2) - 1), slots_(mask_ + 1) {
  for (const Key key : keys) {
    std::size_t at = key & mask_;
    while (slots_[at] != 0 && slots_[at] != key) {
      at = (at + 1) & mask_;
    }
    slots_[at] = key;
  }
}

}  // namespace bridge

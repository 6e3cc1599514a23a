// Describes words of ASCII: keys, flags, stems.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "bridge/words.h"

namespace bridge::ascii {

inline constexpr std::size_t kLongLetters = 7;

inline constexpr std::string_view kElided[] = {
    "l", "d", "j", "n", "s", "m", "t", "c", "qu", "un", "all", "dell", "nell", "sull", "dall"};

// English endings by their last letters, each before those that it ends with: as plain.py has them.
constexpr std::array<std::array<std::string_view, 10>, 26> endings() {
  std::array<std::array<std::string_view, 10>, 26> by_last{};
  for (const std::string_view ending :
       {"ations", "ation", "ators", "ator", "ments", "ment", "ings", "ing",
        "ions",   "ion",   "ors",   "or",   "ers",   "er",   "ies",  "ied",
        "ed",     "es",    "s",     "al",   "ly",    "e",    "y"}) {
    auto& row = by_last[static_cast<std::size_t>(ending.back() - 'a')];
    std::size_t place = 0;
    while (!row[place].empty()) {
      ++place;
    }
    row[place] = ending;
  }
  return by_last;
}
inline constexpr auto kEndings = endings();
inline constexpr std::size_t kStemLetters = 4;  // that an ending leaves

// What a unit of a text is.
enum Kind : std::uint8_t {
  kOther = 0,
  kSmall = 1,
  kLarge = 2,
  kQuote = 4,
  kPoint = 8,
  kNotAscii = 16
};

constexpr Kind kind_of(std::size_t unit) {
  return 'a' <= unit && unit <= 'z'   ? kSmall
         : 'A' <= unit && unit <= 'Z' ? kLarge
         : unit == '\''               ? kQuote
         : unit == '.'                ? kPoint
                                      : kOther;
}

constexpr std::array<Kind, 128> kinds() {
  std::array<Kind, 128> all{};
  for (std::size_t unit = 0; unit < all.size(); ++unit) {
    all[unit] = kind_of(unit);
  }
  return all;
}
inline constexpr auto kKinds = kinds();

inline bool small(char sign) { return 'a' <= sign && sign <= 'z'; }
inline bool digit(char sign) { return '0' <= sign && sign <= '9'; }
inline bool in_word(char sign) { return small(sign) || digit(sign); }

// Describes words of ASCII as `describe` in words.py does.
class Describer {
 public:
  explicit Describer(const WordLists& lists) : lists_(lists) {}

  // Adds a word, or returns false if it is not ASCII.
  // Requires: `spelling` is a token that begins with a letter or digit; not for long.
  template <typename Unit>
  bool describe(std::span<const Unit> spelling, WordsRead& words) {
    unsigned seen = 0;
    word_.resize(spelling.size());
    for (std::size_t i = 0; i < spelling.size(); ++i) {
      const Kind kind = spelling[i] < kKinds.size() ? kKinds[spelling[i]] : kNotAscii;
      seen |= kind;
      word_[i] = static_cast<char>(kind == kLarge ? spelling[i] + 32 : spelling[i]);
    }
    if (seen & kNotAscii) {
      return false;
    }
    const bool capitals = (seen & kLarge) != 0, smalls = (seen & kSmall) != 0;
    const bool number = digit(word_.front());
    if (seen & (kQuote | kPoint)) {
      normalize();
    }
    const auto [key, stem] = keys();
    unsigned flags = 0;
    const auto set = [&](WordFlag flag, bool is) { flags |= is ? unsigned{flag} : 0U; };
    set(kStop, lists_.stop_words.contains(key));
    set(kConnector, lists_.connectors.contains(key));
    if (number && !capitals) {
      set(kNumber, true);
      set(kLong, telling_number());
    } else {
      set(kCapital, capitals);
      set(kAcronym, capitals && !smalls && 2 <= word_.size() && word_.size() <= 8);
      set(kLong, word_.size() >= kLongLetters);
    }
    words.keys.push_back(key);
    words.flags.push_back(static_cast<std::uint8_t>(flags));
    words.stems.push_back(static_cast<std::uint32_t>(stem));
    words.letters.push_back(static_cast<std::uint8_t>(std::min<std::size_t>(word_.size(), 255)));
    return true;
  }

 private:
  // The key of the word and that of its stem, with which it begins.
  std::pair<Key, Key> keys() const {
    const std::string_view word = word_;
    const std::size_t stem = stem_length();
    const Key spelling = spelled(kEmptySpelling, word.substr(0, stem));
    return {mix(spelled(spelling, word.substr(stem))), mix(spelling)};
  }

  static Key spelled(Key spelling, std::string_view more) {
    for (const char sign : more) {
      spelling = spell(spelling, static_cast<unsigned char>(sign));
    }
    return spelling;
  }

  // How much of the word its English ending leaves.
  std::size_t stem_length() const {
    std::size_t length = word_.size();
    if (length < kStemLetters || !std::ranges::all_of(word_, small)) {
      return length;
    }
    if (length == kStemLetters) {
      return word_.ends_with('s') && !word_.ends_with("ss") ? length - 1 : length;
    }
    for (const std::string_view ending : kEndings[static_cast<std::size_t>(word_.back() - 'a')]) {
      if (ending.empty()) {
        break;
      }
      if (length >= kStemLetters + ending.size() && word_.ends_with(ending)) {
        length -= ending.size();
        break;
      }
    }
    if (length > kStemLetters) {
      length = word_.find_last_not_of('e', length - 1) + 1;
    }
    return length;
  }

  // Takes away a possessive "'s", an elided article, and the points of an abbreviation.
  void normalize() {
    const std::size_t quote = word_.find('\'');
    if (quote != std::string::npos) {
      if (word_.ends_with("'s") && word_.size() > 2) {
        word_.resize(word_.size() - 2);
      }
      const std::string_view before = std::string_view(word_).substr(0, quote);
      if (quote + 2 < word_.size() && in_word(word_[quote + 1]) && in_word(word_[quote + 2]) &&
          std::ranges::find(kElided, before) != std::end(kElided)) {
        word_.erase(0, quote + 1);
      }
    }
    if (!digit(word_.front())) {
      std::erase(word_, '.');
    }
  }

  // Tells a year or a code ("1984", "1990s", "747b") from an amount.
  bool telling_number() const {
    if (word_.size() < 4 || !std::ranges::all_of(word_, digit)) {
      return word_.size() >= 4;
    }
    return word_.size() == 4 && "1400" < word_ && word_ < "2100";
  }

  const WordLists& lists_;
  std::string word_;
};

}  // namespace bridge::ascii

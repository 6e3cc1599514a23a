#include "bridge/words.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace bridge {
namespace {

// Bounds keep an endless "word" (base64, a line of 200 MB) from becoming one huge key.
constexpr std::size_t kRunLetters = 64;
constexpr std::size_t kRunMarks = 16;
constexpr std::size_t kRunHiragana = 16;
constexpr std::size_t kJoints = 16;

constexpr std::size_t kLongLetters = 7;
constexpr char32_t kApostrophe = 0x2019;
constexpr char32_t kDash = 0x2013;

constexpr std::string_view kElided[] = {"l", "d", "j", "n",    "s",   "m",    "t",    "c",
                                        "qu", "un", "all", "dell", "nell", "sull", "dall"};

// English endings, each before those that it ends with; see `stem` in plain.py.
constexpr std::string_view kEndings[] = {
    "ations", "ation", "ators", "ator", "ments", "ment", "ings", "ing", "ions", "ion", "ors",
    "or",     "ers",   "er",    "ies",  "ied",   "ed",   "es",   "s",   "al",   "ly",  "e",
    "y"};
constexpr std::size_t kStemLetters = 4;  // that an ending leaves

bool small(char sign) { return 'a' <= sign && sign <= 'z'; }
bool capital(char32_t sign) { return U'A' <= sign && sign <= U'Z'; }
bool digit(char sign) { return '0' <= sign && sign <= '9'; }
bool in_word(char sign) { return small(sign) || digit(sign); }

// Describes words of ASCII as `describe` in words.py does.
class Describer {
 public:
  explicit Describer(const WordLists& lists) : lists_(lists) {}

  // Requires: `spelling` is a token that begins with a letter or digit; not for long.
  template <typename Unit>
  void describe(std::span<const Unit> spelling, WordsRead& words) {
    bool capitals = false, smalls = false;
    word_.clear();
    for (const Unit unit : spelling) {
      const char sign = static_cast<char>(unit);
      capitals |= capital(unit);
      smalls |= small(sign);
      word_.push_back(capital(unit) ? static_cast<char>(sign + 32) : sign);
    }
    const bool number = digit(word_.front());
    normalize();
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
    for (const std::string_view ending : kEndings) {
      if (word_.back() == ending.back() && length >= kStemLetters + ending.size() &&
          word_.ends_with(ending)) {
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

// Finds words and breaks.
template <typename Unit>
class Reader {
 public:
  Reader(std::span<const Unit> text, const CharTable& chars, const WordLists& lists,
         WordsRead& words)
      : text_(text), chars_(chars), describer_(lists), words_(words) {}

  void read(Span span) {
    for (std::size_t at = span.start; at < span.end;) {
      const unsigned classes = chars_[text_[at]];
      const std::size_t end = token_end(at, span.end, classes);
      if (end == at) {
        ++at;
        continue;
      }
      enter(at, end, (classes & kAlnum) != 0);
      at = end;
    }
    words_.borders.push_back(static_cast<std::uint32_t>(words_.keys.size()));
  }

 private:
  bool is(std::size_t at, unsigned classes) const { return (chars_[text_[at]] & classes) != 0; }

  static bool letter(unsigned classes) {
    return (classes & (kAlnum | kHan | kHiragana)) == kAlnum;
  }
  bool letter_at(std::size_t at) const { return letter(chars_[text_[at]]); }

  void enter(std::size_t start, std::size_t end, bool word) {
    const auto spelling = text_.subspan(start, end - start);
    const bool ascii = std::ranges::all_of(spelling, [](Unit unit) { return unit < 0x80; });
    if (word && ascii) {
      describer_.describe(spelling, words_);
      return;
    }
    if (word) {
      words_.odd.push_back({static_cast<std::uint32_t>(words_.keys.size()),
                            {static_cast<std::uint32_t>(start), static_cast<std::uint32_t>(end)}});
    }
    words_.keys.push_back(0);
    words_.flags.push_back(kBreak);
    words_.stems.push_back(0);
    words_.letters.push_back(0);
  }

  // One past the word or break at `at`, or `at` where there is none.
  std::size_t token_end(std::size_t at, std::size_t end, unsigned classes) const {
    if (letter(classes)) {
      return word_end(at, end);
    }
    if (classes & kHan) {
      return at + 1;
    }
    if (classes & kHiragana) {
      return run(at + 1, std::min(end, at + kRunHiragana), kHiragana);
    }
    if (classes & kPhraseBreak) {
      return at + 1;
    }
    if (text_[at] == '.') {
      std::size_t dots = at + 1;
      while (dots < end && text_[dots] == '.') {
        ++dots;
      }
      return dots > at + 1 ? dots : at;
    }
    const bool dash = text_[at] == '-' || text_[at] == kDash;
    return dash && at > 0 && is(at - 1, kSpace) && at + 1 < end && is(at + 1, kSpace) ? at + 1 : at;
  }

  std::size_t run(std::size_t at, std::size_t end, unsigned classes) const {
    while (at < end && is(at, classes)) {
      ++at;
    }
    return at;
  }

  std::size_t letters(std::size_t at, std::size_t end) const {
    while (at < end && letter_at(at)) {
      ++at;
    }
    return at;
  }

  std::size_t word_end(std::size_t at, std::size_t end) const {
    std::size_t stop = letters(at + 1, std::min(end, at + kRunLetters));
    for (std::size_t joints = 0; joints < kJoints; ++joints) {
      const std::size_t joined = joint_end(stop, end);
      if (joined == stop) {
        break;
      }
      stop = letters(joined, std::min(end, joined + kRunLetters));
    }
    return stop;
  }

  // One past what joins the letters before `at` to what follows, or `at`.
  std::size_t joint_end(std::size_t at, std::size_t end) const {
    if (at == end) {
      return at;
    }
    if (is(at, kMark)) {
      return run(at + 1, std::min(end, at + kRunMarks), kMark);
    }
    if (at + 1 == end) {
      return at;
    }
    const auto sign = text_[at];
    const bool joins = sign == '\'' || sign == kApostrophe ? letter_at(at + 1)
                       : sign == ','                       ? decimal(at)
                       : sign == '.'                       ? decimal(at) || abbreviation(at, end)
                       : sign == '&'                       ? between_capitals(at)
                                                           : false;
    return joins ? at + 1 : at;
  }

  bool decimal(std::size_t at) const { return is(at - 1, kDecimal) && is(at + 1, kDecimal); }

  bool between_capitals(std::size_t at) const {
    return capital(text_[at - 1]) && capital(text_[at + 1]);
  }

  // A point between single capitals.
  bool abbreviation(std::size_t at, std::size_t end) const {
    return between_capitals(at) && !(at >= 2 && is(at - 2, kAlnum)) &&
           !(at + 2 < end && is(at + 2, kAlnum));
  }

  const std::span<const Unit> text_;
  const CharTable& chars_;
  Describer describer_;
  WordsRead& words_;
};

}  // namespace

WordsRead read_words(const Text& text, std::span<const Span> spans, const CharTable& chars,
                     const WordLists& lists) {
  WordsRead words;
  words.borders.reserve(spans.size() + 1);
  words.borders.push_back(0);
  std::visit(
      [&]<typename Unit>(std::span<const Unit> units) {
        Reader<Unit> reader(units, chars, lists, words);
        for (const Span span : spans) {
          reader.read(span);
        }
      },
      text);
  return words;
}

}  // namespace bridge

#include "bridge/words.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "word_describer.h"

namespace bridge {
namespace {

// Bounds keep an endless "word" (base64, a line of 200 MB) from becoming one huge key.
constexpr std::size_t kRunLetters = 64;
constexpr std::size_t kRunMarks = 16;
constexpr std::size_t kRunHiragana = 16;
constexpr std::size_t kJoints = 16;

constexpr char32_t kApostrophe = 0x2019;
constexpr char32_t kDash = 0x2013;

constexpr std::size_t kLikelyLetters = 4;  // of a word and what is between it and the next, or more

bool capital(char32_t sign) { return U'A' <= sign && sign <= U'Z'; }

// Finds words and breaks; keeps where they stand if it is given `places`.
template <typename Unit>
class Reader {
 public:
  Reader(std::span<const Unit> text, const CharTable& chars, const WordLists& lists,
         WordsRead& words, std::vector<Span>* places = nullptr)
      : text_(text),
        chars_(chars),
        latin_(chars.latin()),
        describer_(lists),
        words_(words),
        places_(places) {}

  // Reads a span, until there are `most` words and breaks.
  void read(Span span, std::size_t most = SIZE_MAX) {
    for (std::size_t at = span.start; at < span.end && words_.keys.size() < most;) {
      const unsigned classes = classes_at(at);
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
  unsigned classes_at(std::size_t at) const {
    if constexpr (sizeof(Unit) == 1) {
      return latin_[text_[at]];
    } else {
      return chars_[text_[at]];
    }
  }
  bool is(std::size_t at, unsigned classes) const { return (classes_at(at) & classes) != 0; }

  static bool letter(unsigned classes) {
    return (classes & (kAlnum | kHan | kHiragana)) == kAlnum;
  }
  bool letter_at(std::size_t at) const { return letter(classes_at(at)); }

  void enter(std::size_t start, std::size_t end, bool word) {
    const Span span{static_cast<std::uint32_t>(start), static_cast<std::uint32_t>(end)};
    if (places_ != nullptr) {
      places_->push_back(span);
    }
    if (word && describer_.describe(text_.subspan(start, end - start), words_)) {
      return;
    }
    if (word) {
      words_.odd.push_back({static_cast<std::uint32_t>(words_.keys.size()), span});
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
  const std::span<const std::uint16_t, 256> latin_;
  ascii::Describer describer_;
  WordsRead& words_;
  std::vector<Span>* const places_;
};

// Keeps some rows of a column. Requires: `rows` ascends.
template <typename T>
void keep(std::vector<T>& column, std::span<const std::uint32_t> rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    column[i] = column[rows[i]];
  }
  column.resize(rows.size());
}

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

QuestionRead read_question(const Text& text, const CharTable& chars, const WordLists& lists) {
  const Span span{0,
                  static_cast<std::uint32_t>(std::min<std::size_t>(length(text), kQuestionChars))};
  WordsRead read;
  std::vector<Span> places;
  const std::size_t likely = span.end / kLikelyLetters + 1;
  read.keys.reserve(likely);
  read.flags.reserve(likely);
  read.stems.reserve(likely);
  read.letters.reserve(likely);
  places.reserve(likely);
  std::visit(
      [&]<typename Unit>(std::span<const Unit> units) {
        Reader<Unit>(units, chars, lists, read, &places).read(span, kQuestionWords);
      },
      text);
  std::vector<Key> plain = read.keys;
  return {{std::move(read.keys), std::move(read.flags), std::move(plain), std::move(read.stems),
           std::move(read.letters), std::move(places)},
          std::move(read.odd)};
}

void QuestionWords::drop_breaks() {
  std::vector<std::uint32_t> words;
  words.reserve(size());
  for (std::size_t i = 0; i < size(); ++i) {
    if (keys[i] != 0) {
      words.push_back(static_cast<std::uint32_t>(i));
    }
  }
  keep(keys, words);
  keep(flags, words);
  keep(plain, words);
  keep(stems, words);
  keep(letters, words);
  keep(spans, words);
}

}  // namespace bridge

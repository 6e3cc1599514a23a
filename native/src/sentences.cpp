#include "bridge/sentences.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace bridge {
namespace {

// Lines of these lengths may be hard-wrapped; CJK lines hold fewer, wider characters.
constexpr std::size_t kShortest = 45;
constexpr std::size_t kShortestCjk = 20;
constexpr std::size_t kLongest = 250;
constexpr std::size_t kWidthSample = 50'000;
constexpr std::size_t kWordLetters = 24;  // what is longer is no word of any list
constexpr std::size_t kShortFormLetters = 4;

constexpr char32_t kFirstCjk = 0x2E80;
constexpr char32_t kEllipsis = 0x2026;
constexpr char32_t kLeftQuote = 0x2018;

bool one_of(char32_t sign, std::u32string_view signs) {
  return signs.find(sign) != std::u32string_view::npos;
}

// A place where a sentence may end: the white space [stop, after) behind a stop or at a line end.
struct Candidate {
  enum Kind { kLine, kNarrow, kWide } kind;
  std::size_t first;  // of the run of stops
  std::size_t stop;
  std::size_t after;
};

template <typename Unit>
class Cutter {
 public:
  Cutter(std::span<const Unit> text, std::size_t start, std::size_t end, const CharTable& chars,
         const SentenceWords& words)
      : text_(text), end_(end), chars_(chars), words_(words), full_line_(full_line(start)) {
    begin_ = skip_space(start);
    for (std::size_t at = start; at < end_;) {
      Candidate place;
      if (!is(at, kNarrowStop | kWideStop) && text_[at] != '\n') {
        ++at;
      } else if (!candidate(at, place)) {
        ++at;
      } else {
        if (place.after == end_ || ends(place)) {
          cut(place.stop);
          begin_ = place.after;
        }
        at = place.after;
      }
    }
    cut(end_);
  }

  std::vector<Span> take() { return std::move(found_); }

 private:
  char32_t sign(std::size_t at) const { return text_[at]; }
  bool is(std::size_t at, unsigned classes) const { return (chars_[text_[at]] & classes) != 0; }

  std::size_t skip_space(std::size_t at) const {
    while (at < end_ && is(at, kSpace)) {
      ++at;
    }
    return at;
  }

  // Enters what stands between the last border and `stop`, unless it is nothing.
  void cut(std::size_t stop) {
    while (stop > begin_ && is(stop - 1, kSpace)) {
      --stop;
    }
    if (stop > begin_) {
      found_.push_back({static_cast<std::uint32_t>(begin_), static_cast<std::uint32_t>(stop)});
    }
  }

  // ---- where a sentence may end

  bool candidate(std::size_t at, Candidate& place) const {
    if (sign(at) == '\n') {
      place = {Candidate::kLine, at, at, skip_space(at + 1)};
      return true;
    }
    return is(at, kNarrowStop) ? narrow(at, place) : wide(at, place);
  }

  // Stops and what closes behind them, from the first stop of a run only: a run that fails is not
  // tried again from each of its characters.
  bool narrow(std::size_t at, Candidate& place) const {
    const auto stops = [&](std::size_t i) { return is(i, kNarrowStop) || sign(i) == kEllipsis; };
    if (at > 0 && stops(at - 1)) {
      return false;
    }
    std::size_t stop = at + 1;
    while (stop < end_ && stops(stop)) {
      ++stop;
    }
    while (stop < end_) {
      const std::size_t closed = is(stop, kNarrowCloser) ? stop + 1 : note(stop, end_);
      if (closed == stop) {
        break;
      }
      stop = closed;
    }
    place = {Candidate::kNarrow, at, stop, skip_space(stop)};
    return place.after > stop;
  }

  bool wide(std::size_t at, Candidate& place) const {
    std::size_t stop = at + 1;
    while (stop < end_ && (is(stop, kWideStop) || sign(stop) == '!' || sign(stop) == '?')) {
      ++stop;
    }
    while (stop < end_ && is(stop, kWideCloser)) {
      ++stop;
    }
    place = {Candidate::kWide, at, stop, skip_space(stop)};
    return true;
  }

  // One past the mark of a footnote ("[12]") at `at`, or `at`.
  std::size_t note(std::size_t at, std::size_t end) const {
    if (sign(at) != '[') {
      return at;
    }
    const std::size_t digits = numerals(at + 1, end);
    return digits > at + 1 && digits < end && sign(digits) == ']' ? digits + 1 : at;
  }

  // One past the up to three digits at `at`.
  std::size_t numerals(std::size_t at, std::size_t end) const {
    const std::size_t bound = std::min(end, at + 3);
    while (at < bound && is(at, kDecimal)) {
      ++at;
    }
    return at;
  }

  // ---- whether it ends there; `place.after` is a character of the text

  bool ends(const Candidate& place) const {
    return place.kind == Candidate::kLine ? ends_line(place.stop, place.after)
                                          : ends_sentence(place);
  }

  bool ends_line(std::size_t stop, std::size_t after) const {
    if (blank_line(stop, after) || item(after)) {
      return true;
    }
    const std::size_t low = before(stop, kLongest, 0);
    std::size_t line = stop;
    while (line > low && sign(line - 1) != '\n') {
      --line;
    }
    if (table_row(line, stop)) {
      return true;
    }
    if (is(after, kLower)) {
      return false;
    }
    const char32_t last = stop > line ? sign(stop - 1) : U'\n';
    const bool goes_on = (chars_[last] & kAlpha) != 0 || one_of(last, U",-\u2013\u2014&/");
    if (!goes_on || (U'\u0E00' <= last && last <= U'\u0E7F')) {  // Thai
      return true;
    }
    const std::size_t size = stop - line;
    if (size >= kShortest && words_.function_words.contains(last_word(line, stop).key())) {
      return false;
    }
    return size < (last >= kFirstCjk ? kShortestCjk : full_line_) || size >= kLongest;
  }

  bool ends_sentence(const Candidate& place) const {
    const auto [kind, first, stop, after] = place;
    const char32_t following = sign(after);
    const bool blank = blank_line(stop, after);
    if (is(after, kLower)) {
      return blank;  // an item or another block can begin with a small letter, a sentence cannot
    }
    if (kind == Candidate::kWide) {
      return sign(first) != kEllipsis || after > stop || following >= kFirstCjk;
    }
    if (table_row(before(stop, kLongest, begin_), stop) && !line_end(first, after)) {
      return false;
    }
    if (blank || sign(first) != '.' || stop - first > 1) {
      return true;
    }
    return !short_form(first, after);
  }

  // Whether the full stop at `stop` belongs to an abbreviation, initial or list number.
  bool short_form(std::size_t stop, std::size_t after) const {
    Word word = last_word(begin_, stop);
    if (word.size == 0) {
      return false;
    }
    const std::size_t at = stop - word.size;
    word.strip_quotes();
    const Key key = word.key();
    if (words_.never_last.contains(key)) {
      return true;
    }
    if (is(after, kDigit) && words_.before_number.contains(key)) {
      return true;
    }
    if (all(word, kDigit)) {  // "1. Introduction", but not "in 1999. Then"
      return word.size <= 3 && skip_space(begin_) >= at;
    }
    if (!words_.rarely_last.contains(key) && !initial(word) && !inner_stops(word)) {
      return false;
    }
    return !opens(after);
  }

  // Whether what stands at `at` can only be the beginning of a sentence. A number can not.
  bool opens(std::size_t at) const {
    Word word;
    for (std::size_t i = at; i < text_.size() && letter(chars_[text_[i]]); ++i) {
      if (word.size == kWordLetters) {
        return false;
      }
      word.push(sign(i));
    }
    return word.size > 0 ? words_.openers.contains(word.key()) : !is(at, kDigit);
  }

  // ---- words

  // A word in lower case.
  struct Word {
    std::array<char32_t, kWordLetters> signs{};
    std::size_t first = 0, size = 0;

    void push(char32_t sign) { signs[size++] = sign; }
    std::u32string_view view() const { return {signs.data() + first, size}; }
    Key key() const { return spelled_key(view()); }
    void strip_quotes() {
      while (size > 0 && (signs[first] == '\'' || signs[first] == kLeftQuote)) {
        ++first;
        --size;
      }
    }
  };

  // What stands at the end of [low, stop) without white space or an opening bracket.
  Word last_word(std::size_t low, std::size_t stop) const {
    low = before(stop, kWordLetters, low);
    std::size_t at = stop;
    while (at > low && !is(at - 1, kSpace) && !one_of(sign(at - 1), U"([{\"\u201C\u00AB")) {
      --at;
    }
    Word word;
    for (; at < stop; ++at) {
      word.push(chars_.lower(sign(at)));
    }
    return word;
  }

  static bool letter(unsigned classes) { return (classes & (kAlnum | kDecimal)) == kAlnum; }

  bool all(const Word& word, unsigned classes) const {
    const auto signs = word.view();
    return !signs.empty() &&
           std::ranges::all_of(signs, [&](char32_t s) { return (chars_[s] & classes) != 0; });
  }

  bool initial(const Word& word) const { return word.size == 1 && all(word, kAlpha); }

  // "u.s", "ph.d", not "a_file.txt)".
  bool inner_stops(const Word& word) const {
    std::size_t letters = 0, parts = 1;
    for (const char32_t sign : word.view()) {
      if (sign == '.' && letters > 0) {
        ++parts;
        letters = 0;
      } else if (!letter(chars_[sign]) || ++letters > kShortFormLetters) {
        return false;
      }
    }
    return parts > 1 && letters > 0;
  }

  // ---- lines

  // `at` less `reach`, but not less than `low`.
  static std::size_t before(std::size_t at, std::size_t reach, std::size_t low) {
    return at - low > reach ? at - reach : low;
  }

  bool blank_line(std::size_t start, std::size_t end) const {
    return end - start > 1 && std::count(text_.begin() + start, text_.begin() + end, '\n') > 1;
  }

  bool line_end(std::size_t start, std::size_t end) const {
    return std::find(text_.begin() + start, text_.begin() + end, '\n') != text_.begin() + end;
  }

  // Whether a cell of a table ends in [start, stop).
  bool table_row(std::size_t start, std::size_t stop) const {
    for (std::size_t i = start; i + 2 < stop; ++i) {
      if (sign(i) == ' ' && sign(i + 1) == '|' && sign(i + 2) == ' ') {
        return true;
      }
    }
    return false;
  }

  // Whether a list item, a table row, a heading or a block of code begins at `at`.
  bool item(std::size_t at) const {
    const std::size_t end = text_.size();
    const auto space = [&](std::size_t i) { return i < end && is(i, kSpace); };
    if (is(at, kBullet)) {
      return true;
    }
    if (const std::size_t behind = note(at, end); behind > at) {
      return space(behind);
    }
    if (sign(at) == '`' || sign(at) == '~') {
      return at + 2 < end && sign(at + 1) == sign(at) && sign(at + 2) == sign(at);
    }
    const std::size_t name = sign(at) == '(' ? at + 1 : at;
    std::size_t behind = numerals(name, end);
    if (behind == name && name < end && latin(sign(name))) {
      ++behind;
    }
    return behind > name && behind < end && (sign(behind) == '.' || sign(behind) == ')') &&
           space(behind + 1);
  }

  static bool latin(char32_t sign) { return (U'a' <= (sign | 32) && (sign | 32) <= U'z'); }

  // The length from which a line is full, so that its end may be a hard wrap.
  std::size_t full_line(std::size_t start) const {
    const std::size_t end = std::min(end_, start + kWidthSample);
    std::vector<std::size_t> lengths;
    for (std::size_t line = start, at = start; at <= end; ++at) {
      if (at < end && sign(at) != '\n') {
        continue;
      }
      if (kShortest <= at - line && at - line < kLongest) {
        lengths.push_back(at - line);
      }
      line = at + 1;
    }
    if (lengths.empty()) {
      return kShortest;
    }
    const auto place = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() * 4 / 5);
    std::nth_element(lengths.begin(), place, lengths.end());
    return std::max(kShortest, *place * 7 / 10);
  }

  const std::span<const Unit> text_;
  const std::size_t end_;
  const CharTable& chars_;
  const SentenceWords& words_;
  const std::size_t full_line_;
  std::size_t begin_ = 0;  // of the sentence at hand
  std::vector<Span> found_;
};

}  // namespace

std::vector<Span> sentences(const Text& text, std::size_t start, std::size_t end,
                            const CharTable& chars, const SentenceWords& words) {
  return std::visit(
      [&]<typename Unit>(std::span<const Unit> units) {
        return Cutter<Unit>(units, start, end, chars, words).take();
      },
      text);
}

}  // namespace bridge

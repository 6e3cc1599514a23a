#include "bridge/word_pieces.h"

#include <algorithm>
#include <array>
#include <string>

namespace bridge {
namespace {

constexpr std::size_t kLongestWord = 100;  // what is longer is one unknown token
constexpr std::string_view kContinues = "##";

// The keys of the lines that begin with `prefix`, without it, or of those that do not.
KeySet keys_of(std::string_view lines, bool continuations) {
  std::vector<Key> keys;
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    const bool continues = line.starts_with(kContinues);
    if (!line.empty() && continues == continuations) {
      keys.push_back(word_key(line.substr(continues ? kContinues.size() : 0)));
    }
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
  }
  return KeySet(keys);
}

std::size_t longest_line(std::string_view lines) {
  std::size_t longest = 0;
  while (!lines.empty()) {
    const std::size_t size = std::min(lines.find('\n'), lines.size());
    longest = std::max(longest, size);
    lines.remove_prefix(std::min(lines.size(), size + 1));
  }
  return longest;
}

bool deleted(char32_t sign) {
  return sign == 0x0B || sign == 0x0C || (0x1C <= sign && sign <= 0x1F) || sign == 0x85;
}

bool in_word(char sign) { return ('a' <= sign && sign <= 'z') || ('0' <= sign && sign <= '9'); }

}  // namespace

WordPieces::WordPieces(std::string_view vocabulary, std::string_view plain)
    : begin_(keys_of(vocabulary, false)),
      go_on_(keys_of(vocabulary, true)),
      plain_(plain),
      longest_(longest_line(vocabulary)) {}

// Returns how many pieces a word of lower-case letters and digits has.
std::uint32_t WordPieces::split(std::string_view word) const {
  if (word.size() > kLongestWord) {
    return 1;
  }
  std::array<Key, kLongestWord> spelled;  // of the bytes from the piece's start to each place
  std::uint32_t count = 0;
  for (std::size_t start = 0; start < word.size(); ++count) {
    const std::size_t bound = std::min(word.size(), start + longest_);
    Key spelling = kEmptySpelling;
    for (std::size_t i = start; i < bound; ++i) {
      spelling = spell(spelling, static_cast<unsigned char>(word[i]));
      spelled[i] = spelling;
    }
    const KeySet& known = start == 0 ? begin_ : go_on_;
    std::size_t end = bound;
    while (end > start && !known.contains(mix(spelled[end - 1]))) {
      --end;
    }
    if (end == start) {
      return 1;  // unknown as a whole
    }
    start = end;
  }
  return count;
}

template <typename Unit>
class WordPieces::Counter {
 public:
  Counter(const WordPieces& pieces, std::span<const Unit> text, const CharTable& chars,
          TokenCount& found)
      : pieces_(pieces), text_(text), chars_(chars), found_(found) {}

  void span(std::uint32_t number, Span span) {
    const std::size_t odd_before = found_.odd.size();
    std::uint32_t tokens = 0;
    for (std::uint32_t at = span.start; at < span.end;) {
      if (!space(at)) {
        const std::uint32_t start = at;
        const std::uint32_t here = piece(at, span.end);
        if (at == span.end || space(at)) {
          tokens += here;
          continue;
        }
        while (at < span.end && !space(at)) {
          ++at;
        }
        found_.odd.push_back({number, {start, at}});
      } else if (deleted(text_[at])) {
        tokens = 0;
        found_.odd.resize(odd_before);
        found_.odd.push_back({number, span});
        break;
      } else {
        ++at;
      }
    }
    found_.tokens.push_back(tokens);
  }

 private:
  bool space(std::size_t at) const { return (chars_[text_[at]] & kSpace) != 0; }

  char plain(std::size_t at) const {
    return text_[at] < pieces_.plain_.size() ? pieces_.plain_[text_[at]] : '\0';
  }

  // Counts the plain signs at `at`, and moves behind them.
  std::uint32_t piece(std::uint32_t& at, std::uint32_t end) {
    std::uint32_t tokens = 0;
    char sign = '\0';
    while (at < end && (sign = plain(at)) != '\0') {
      word_.clear();
      for (; in_word(sign); sign = ++at < end ? plain(at) : '\0') {
        word_.push_back(sign);
      }
      if (word_.empty()) {
        ++at;
        ++tokens;
      } else {
        tokens += pieces_.split(word_);
      }
    }
    return tokens;
  }

  const WordPieces& pieces_;
  const std::span<const Unit> text_;
  const CharTable& chars_;
  TokenCount& found_;
  std::string word_;
};

TokenCount WordPieces::count(const Text& text, std::span<const Span> spans,
                             const CharTable& chars) const {
  TokenCount found;
  found.tokens.reserve(spans.size());
  std::visit(
      [&]<typename Unit>(std::span<const Unit> units) {
        Counter<Unit> counter(*this, units, chars, found);
        for (std::size_t i = 0; i < spans.size(); ++i) {
          counter.span(static_cast<std::uint32_t>(i), spans[i]);
        }
      },
      text);
  return found;
}

}  // namespace bridge

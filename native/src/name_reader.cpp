#include "bridge/name_reader.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace bridge {
namespace {

constexpr std::size_t kNameWords = 8;
constexpr std::size_t kRunWords = 12;  // looked at from the start of a run
constexpr std::size_t kStopWords = 2;  // side by side inside a run
constexpr unsigned kNameLetters = 3;
constexpr std::size_t kApart = 8;  // words that stand for the border between two sentences

// Reads one document, sentence by sentence. Inside a sentence, words are numbered without breaks.
class Reader {
 public:
  explicit Reader(const NameStream& words) : words_(words) {}

  NamesRead read() {
    found_.span_borders.push_back(0);
    found_.stem_borders.push_back(0);
    for (std::size_t chunk = 0; chunk + 1 < words_.chunks.size(); ++chunk) {
      start_ = 0;
      for (std::size_t s = words_.chunks[chunk]; s < words_.chunks[chunk + 1]; ++s) {
        sentence(words_.sentences[s], words_.sentences[s + 1]);
        start_ += sentence_.size() + kApart;
      }
      found_.span_borders.push_back(static_cast<std::uint32_t>(found_.spans.size()));
      found_.stem_borders.push_back(static_cast<std::uint32_t>(found_.stems.size()));
    }
    return std::move(found_);
  }

 private:
  struct Word {
    Key plain;
    unsigned letters;
    unsigned flags;
    bool after_break;
    bool proper;          // a name may start with it
    bool edge;            // it may start or end: a proper word or a number
    std::size_t row = 0;  // where the row of capitalised words that starts here ends, or 0
  };

  // The words [first, last) between which at most function words stand.
  struct Run {
    std::size_t first;
    std::size_t last;
  };

  void sentence(std::size_t first, std::size_t last) {
    enter(first, last);
    mark_rows();
    find_runs();
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (i + 1 < runs_.size()) {
        across_break(runs_[i], runs_[i + 1]);
      }
      inside(runs_[i]);
    }
  }

  void enter(std::size_t first, std::size_t last) {
    sentence_.clear();
    bool after_break = false;
    for (std::size_t i = first; i < last; ++i) {
      const unsigned flags = words_.flags[i];
      if (flags & kBreak) {
        after_break = true;
        continue;
      }
      const std::size_t position = start_ + sentence_.size();
      if (!(flags & kStop) && position <= kMostPosition) {
        found_.stems.push_back({words_.stems[i], static_cast<std::uint16_t>(position)});
      }
      const bool proper = (flags & kCapital) && (!(flags & kStop) || (flags & kAcronym));
      sentence_.push_back({words_.plain[i], words_.letters[i], flags, after_break, proper,
                           proper || (flags & kNumber)});
      after_break = false;
    }
  }

  // Rows that hold a number are left out: dates and amounts join what has nothing in common.
  void mark_rows() {
    for (std::size_t i = 0; i < sentence_.size();) {
      const std::size_t first = i++;
      if (!sentence_[first].proper) {
        continue;
      }
      bool number = sentence_[first].flags & kNumber;
      for (; i < sentence_.size() && goes_on(sentence_[i]); ++i) {
        number |= (sentence_[i].flags & kNumber) != 0;
      }
      sentence_[first].row = number ? 0 : i;
    }
  }

  static bool goes_on(const Word& word) {
    const bool capital =
        (word.flags & kCapital) && (!(word.flags & kStop) || (word.flags & kConnector));
    return !word.after_break && (capital || (word.flags & kNumber));
  }

  void find_runs() {
    runs_.clear();
    for (std::size_t i = 0; i < sentence_.size();) {
      if (!starts_run(i)) {
        ++i;
        continue;
      }
      runs_.push_back({i, run_end(i)});
      i = runs_.back().last;
    }
  }

  bool starts_run(std::size_t i) const {
    const bool before_proper =
        i + 1 < sentence_.size() && sentence_[i + 1].proper && !sentence_[i + 1].after_break;
    return sentence_[i].proper || (sentence_[i].edge && before_proper);
  }

  std::size_t run_end(std::size_t first) const {
    std::size_t end = first + 1;
    const std::size_t last = std::min(sentence_.size(), first + kRunWords);
    for (std::size_t i = end; i < last && !sentence_[i].after_break; ++i) {
      if (sentence_[i].edge) {
        end = i + 1;
      } else if (!(sentence_[i].flags & kStop) || i - end == kStopWords) {
        break;
      }
    }
    return end;
  }

  // "Springfield, Illinois"
  void across_break(const Run& run, const Run& next) {
    if (run.last == next.first && sentence_[next.first].after_break &&
        next.last - run.first <= kNameWords) {
      spans(run.first, next.last, next.last);
    }
  }

  void inside(const Run& run) {
    for (std::size_t first = run.first; first < run.last; ++first) {
      if (sentence_[first].edge) {
        spans(first, first + 1, std::min(run.last, first + kNameWords));
      }
    }
  }

  // Adds the spans that start with a word and end in [least, most], the longest first.
  void spans(std::size_t first, std::size_t least, std::size_t most) {
    if (start_ + first > kMostPosition) {
      return;
    }
    NameSpan added[kNameWords];
    std::size_t count = 0;
    Key name = kEmptyEntity;
    unsigned letters = 0;
    bool proper = false;
    for (std::size_t end = first + 1; end <= most; ++end) {
      const Word& word = sentence_[end - 1];
      name = extend(name, word.plain);
      letters += word.letters;
      proper |= word.proper;
      if (end >= least && word.edge && proper && letters >= kNameLetters) {
        added[count++] = {name, static_cast<std::uint16_t>(start_ + first),
                          static_cast<std::uint8_t>(end - first),
                          static_cast<std::uint8_t>(sentence_[first].row == end)};
      }
    }
    std::reverse_copy(added, added + count, std::back_inserter(found_.spans));
  }

  const NameStream& words_;
  NamesRead found_;
  std::size_t start_ = 0;  // the position of the sentence in its chunk
  std::vector<Word> sentence_;
  std::vector<Run> runs_;
};

}  // namespace

NamesRead read_names(const NameStream& words) { return Reader(words).read(); }

}  // namespace bridge

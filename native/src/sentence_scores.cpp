#include "bridge/sentence_scores.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>

namespace bridge {
namespace {

constexpr double kInHeading = 1.3, kIsNumber = 0.6, kIsCapital = 1.15;

// What does not end so is a heading or a broken line: .!?:… and closing quotes and brackets.
constexpr std::u32string_view kEndings =
    U".!?:\u2026\u3002\uFF01\uFF1F\uFF1A\u061F\u06D4\u0965\u0964\"'\u201D\u2019\u00BB)]\u300D\u300F"
    U"\uFF09";
// -–—•◦▪●■○|_
constexpr std::u32string_view kItemMarks =
    U"-\u2013\u2014\u2022\u25E6\u25AA\u25CF\u25A0\u25CB|_";

bool is_content(std::uint8_t flags) { return (flags & (kStop | kBreak)) == 0; }

// How much each word is worth, by how often the document uses it.
class Weights {
 public:
  Weights(const WordStream& words, std::span<const Key> headings)
      : words_(words), mask_(std::bit_ceil(4 * words.keys.size() + 256) - 1), times_(mask_ + 1) {
    std::uint32_t most = 0;
    for (std::size_t i = 0; i < words.keys.size(); ++i) {
      if (is_content(words.flags[i])) {
        most = std::max(most, ++times_[bucket(i)] & kTimes);
      }
    }
    for (const Key word : headings) {
      times_[word & mask_] |= kHeading;
    }
    const auto sentences = static_cast<double>(words.sentences.size() - 1);
    by_times_.push_back(0.0);
    for (std::uint32_t n = 1; n <= most; ++n) {
      by_times_.push_back(std::log1p(n) * std::log1p(sentences / n));
    }
  }

  std::uint32_t bucket(std::size_t word) const {
    return static_cast<std::uint32_t>(words_.keys[word] & mask_);
  }

  double operator()(std::size_t word) const {
    const std::uint32_t times = times_[bucket(word)];
    double weight = by_times_[times & kTimes];
    weight *= times & kHeading ? kInHeading : 1.0;
    weight *= words_.flags[word] & kNumber ? kIsNumber : 1.0;
    weight *= words_.flags[word] & kCapital ? kIsCapital : 1.0;
    return weight;
  }

 private:
  static constexpr std::uint32_t kHeading = 0x80000000U, kTimes = kHeading - 1;

  const WordStream& words_;
  std::size_t mask_;
  std::vector<std::uint32_t> times_;  // of a bucket; kHeading where a heading has one of its words
  std::vector<double> by_times_;
};

// What is in a sentence.
struct Counts {
  double signs = 0, breaks = 0, stops = 0, numbers = 0, worth = 0;
};

// 1 for running prose of a handy length, less for tables, lists and fragments.
double prose(const Counts& is) {
  const double size = is.signs - is.breaks;
  const double some = std::max(size, 1.0);
  const double fluent = std::min(1.0, 0.4 + 3.0 * is.stops / some);
  const double numeric = std::max(0.0, is.numbers / some - 0.2);
  const double broken = std::min(0.9, 1.5 * is.breaks / std::max(is.signs, 1.0));
  const double handy = std::min(1.0, size / 10.0) * std::min(1.0, 40.0 / some);
  return fluent * (1.0 - numeric) * (1.0 - broken) * handy;
}

// 1 for what looks like a whole sentence, less for a heading, an item, half a line.
double wholeness(const Text& text, Span span, double size, const CharTable& chars) {
  const auto [first, last] = std::visit(
      [&](auto units) {
        return std::pair<char32_t, char32_t>(units[span.start], units[span.end - 1]);
      },
      text);
  const bool ends = kEndings.find(last) != kEndings.npos;
  const bool begins = (chars[first] & kLower) == 0 && kItemMarks.find(first) == kItemMarks.npos;
  // Web addresses are no words.
  const double worded = std::min(1.0, 12.0 * std::max(size, 1.0) / (span.end - span.start));
  return (ends ? 1.0 : 0.6) * (begins ? 1.0 : 0.6) * worded * worded;
}

}  // namespace

SentenceScores score_sentences(const Text& text, std::span<const Span> spans,
                               const WordStream& words, std::span<const Key> headings,
                               const CharTable& chars) {
  const Weights weight(words, headings);
  SentenceScores found;
  found.offsets.push_back(0);
  double sum = 0;  // of the whole text so far: a sentence's worth is a difference of two sums
  std::size_t chunk = 0;
  for (std::size_t j = 0; j < spans.size(); ++j) {
    Counts is;
    const double before = sum;
    for (std::size_t i = words.sentences[j]; i < words.sentences[j + 1]; ++i) {
      const std::uint8_t flags = words.flags[i];
      ++is.signs;
      is.breaks += (flags & kBreak) != 0;
      is.stops += (flags & kStop) != 0;
      is.numbers += (flags & kNumber) != 0;
      if (is_content(flags)) {
        sum += weight(i);
        found.words.push_back(weight.bucket(i));
      }
    }
    is.worth = sum - before;
    const double size = is.signs - is.breaks;
    double early = 1.0 + 0.6 / (1.0 + 0.125 * static_cast<double>(j));
    if (chunk + 1 < words.chunks.size() && words.chunks[chunk] == j) {
      early *= 1.1;
      while (chunk + 1 < words.chunks.size() && words.chunks[chunk] == j) {
        ++chunk;
      }
    }
    double score = is.worth / std::sqrt(std::max(size, 1.0));
    score *= prose(is) * early;
    score *= wholeness(text, spans[j], size, chars);
    found.scores.push_back(score);
    found.sizes.push_back(static_cast<std::uint32_t>(size));
    found.offsets.push_back(static_cast<std::uint32_t>(found.words.size()));
  }
  return found;
}

}  // namespace bridge

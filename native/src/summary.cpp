#include "bridge/summary.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <utility>

namespace bridge {
namespace {

constexpr std::size_t kCandidates = 8;  // of a leaf's sentences, so many are weighed
constexpr double kLeast = 0.35;         // a further sentence must be worth this share of the first
constexpr double kOver = 1.25;          // and may go over the room by a quarter

using Words = std::vector<std::uint32_t>;  // ascending, each once

struct Candidate {
  std::uint32_t sentence;
  double worth;
  Words words;
};

std::size_t common(const Words& a, const Words& b) {
  std::size_t count = 0;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    if (*i == *j) {
      ++count;
      ++i;
      ++j;
    } else {
      *i < *j ? ++i : ++j;
    }
  }
  return count;
}

Words joined(const Words& a, const Words& b) {
  Words all;
  all.reserve(a.size() + b.size());
  std::ranges::set_union(a, b, std::back_inserter(all));
  return all;
}

class Picker {
 public:
  explicit Picker(const ScoredSentences& sentences) : all_(sentences) {}

  // The best of the sentences [first, first + count) by score alone, ascending.
  std::vector<std::uint32_t> promising(std::uint32_t first, std::uint32_t count) const {
    std::vector<std::uint32_t> best(count);
    std::iota(best.begin(), best.end(), first);
    if (count > kCandidates) {
      std::ranges::nth_element(best, best.begin() + kCandidates, [&](auto a, auto b) {
        return all_.scores[a] != all_.scores[b] ? all_.scores[a] > all_.scores[b] : a < b;
      });
      best.resize(kCandidates);
      std::ranges::sort(best);
    }
    return best;
  }

  // Those that say most in about `room` words, ascending.
  std::vector<std::uint32_t> best(std::span<const std::uint32_t> sentences,
                                  std::uint32_t room) const {
    std::vector<Candidate> left;
    for (const std::uint32_t j : sentences) {
      left.push_back({j, all_.scores[j], words(j)});
    }
    std::vector<std::uint32_t> chosen;
    Words said;
    double least = 0.0;
    double space = kOver * room;
    while (!left.empty()) {
      // The first of several that are worth as much.
      const auto next = std::ranges::max_element(left, {}, &Candidate::worth);
      if (chosen.empty()) {
        least = kLeast * next->worth;
      } else if (next->worth <= least) {
        break;
      }
      chosen.push_back(next->sentence);
      said = joined(said, next->words);
      space -= all_.sizes[next->sentence];
      left.erase(next);
      std::erase_if(left, [&](const Candidate& one) { return all_.sizes[one.sentence] > space; });
      for (Candidate& one : left) {
        one.worth = all_.scores[one.sentence] * news(one.words, said);
      }
    }
    std::ranges::sort(chosen);
    return chosen;
  }

 private:
  static double news(const Words& words, const Words& said) {
    const auto size = static_cast<double>(std::max<std::size_t>(1, words.size()));
    return 1.0 - static_cast<double>(common(words, said)) / size;
  }

  Words words(std::uint32_t j) const {
    const auto here = all_.words.subspan(all_.offsets[j], all_.offsets[j + 1] - all_.offsets[j]);
    Words words(here.begin(), here.end());
    std::ranges::sort(words);
    words.erase(std::unique(words.begin(), words.end()), words.end());
    return words;
  }

  const ScoredSentences& all_;
};

bool inside(std::uint32_t first, std::uint32_t count, std::size_t end) {
  return first <= end && count <= end - first;
}

}  // namespace

const char* check(const ScoredSentences& sentences, const SummaryTree& tree) {
  const std::size_t size = sentences.scores.size();
  if (sentences.sizes.size() != size || sentences.offsets.size() != size + 1) {
    return "scores and sizes must have one length, offsets one number more";
  }
  if (!std::ranges::is_sorted(sentences.offsets) ||
      sentences.offsets.back() > sentences.words.size()) {
    return "offsets must ascend to the number of words";
  }
  const std::size_t abstracts = tree.is_leaf.size();
  if (tree.first.size() != abstracts || tree.count.size() != abstracts ||
      tree.room.size() != abstracts) {
    return "the arrays of a tree must have one length";
  }
  for (std::size_t a = 0; a < abstracts; ++a) {
    if (!inside(tree.first[a], tree.count[a], tree.is_leaf[a] ? size : a)) {
      return "an abstract names a sentence that is not there, or a child that does not precede it";
    }
  }
  return nullptr;
}

SummaryShape summary_shape(const TreeColumns& tree, std::span<const std::uint32_t> chunks,
                           std::span<const std::uint32_t> rooms) {
  SummaryShape shape;
  for (std::size_t a = 0; a < tree.child_count.size(); ++a) {
    const bool leaf = tree.child_count[a] == 0;
    const std::uint32_t first = chunks[tree.first_chunk[a]];
    const std::uint32_t end = chunks[tree.first_chunk[a] + tree.chunk_count[a]];
    shape.is_leaf.push_back(leaf);
    shape.first.push_back(leaf ? first : tree.first_child[a]);
    shape.count.push_back(leaf ? end - first : tree.child_count[a]);
    shape.room.push_back(rooms[std::min<std::size_t>(tree.level[a], rooms.size() - 1)]);
  }
  return shape;
}

Picked pick(const ScoredSentences& sentences, const SummaryTree& tree) {
  const Picker picker(sentences);
  Picked picked;
  picked.borders.push_back(0);
  for (std::size_t a = 0; a < tree.is_leaf.size(); ++a) {
    std::vector<std::uint32_t> from;
    if (tree.is_leaf[a]) {
      from = picker.promising(tree.first[a], tree.count[a]);
    } else {  // what consecutive children have picked stands side by side
      const auto begin = picked.sentences.begin();
      from.assign(begin + picked.borders[tree.first[a]],
                  begin + picked.borders[tree.first[a] + tree.count[a]]);
      std::ranges::sort(from);
    }
    const auto best = picker.best(from, tree.room[a]);
    picked.sentences.insert(picked.sentences.end(), best.begin(), best.end());
    picked.borders.push_back(static_cast<std::uint32_t>(picked.sentences.size()));
  }
  return picked;
}

}  // namespace bridge

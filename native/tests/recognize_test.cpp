#include "bridge/recognize.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <span>
#include <vector>

#include "random.h"

using namespace bridge;

namespace {

QuestionWords question(std::vector<Key> keys, std::vector<std::uint8_t> flags) {
  QuestionWords words;
  words.keys = std::move(keys);
  words.flags = std::move(flags);
  return words;
}

Key name(const QuestionWords& words, Stretch place) {
  return entity_key(std::span(words.keys).subspan(place.first, place.words));
}

std::vector<Mention> recognize(const QuestionWords& words, const std::set<Key>& known,
                               bool nested) {
  EntityIndex index;
  for (const Key key : known) {
    index.add(key, 1);
  }
  const Probes grams = probes(words);
  std::vector<std::uint8_t> stored(grams.keys.size());
  mark_stored(index, grams, stored);
  return choose(grams, stored, nested);
}

// Longest first, then from the left; each if it overlaps none before it.
std::vector<Mention> slowly(const QuestionWords& words, const std::set<Key>& known, bool nested) {
  std::vector<Mention> found;
  const auto size = static_cast<std::uint32_t>(words.size());
  for (std::uint32_t count = 8; count >= 1; --count) {
    for (std::uint32_t first = 0; first + count <= size; ++first) {
      bool content = false, free = true;
      for (std::uint32_t i = first; i < first + count; ++i) {
        content |= (words.flags[i] & (kStop | kAcronym)) != kStop;
        for (const Mention& other : found) {
          free &= i < other.place.first || other.place.first + other.place.words <= i;
        }
      }
      const bool lone_sign = count == 1 && (words.flags[first] & kIdeograph) != 0;
      const Mention mention{name(words, {first, count}), {first, count}};
      if (content && !lone_sign && known.contains(mention.entity) && (free || nested)) {
        found.push_back(mention);
      }
    }
  }
  std::ranges::stable_sort(found, {}, [](const Mention& mention) { return mention.place.first; });
  return found;
}

}  // namespace

TEST_CASE("the longest stored name wins, then the one further left") {
  const QuestionWords words = question({1, 2, 3, 4}, {0, 0, 0, 0});
  const std::set<Key> known{name(words, {0, 2}), name(words, {1, 2}), name(words, {3, 1})};
  CHECK(recognize(words, known, false) ==
        std::vector<Mention>{{name(words, {0, 2}), {0, 2}}, {name(words, {3, 1}), {3, 1}}});
  CHECK(recognize(words, known, true).size() == 3);
}

TEST_CASE("function words and lone Han characters are no names; acronyms that spell one may be") {
  const QuestionWords words =
      question({1, 2, 3}, {kStop, kStop | kAcronym, static_cast<std::uint8_t>(kIdeograph)});
  CHECK(probes(words).places == std::vector<Stretch>{{1, 1}, {0, 2}, {1, 2}, {0, 3}});
  CHECK(probes(question({}, {})).keys.empty());
}

TEST_CASE("mentions agree with trying every stretch") {
  Random random(11);
  for (int round = 0; round < 3000; ++round) {
    QuestionWords words;
    for (std::uint32_t i = 0, size = random.below(14); i < size; ++i) {
      words.keys.push_back(1 + random.below(4));
      words.flags.push_back(static_cast<std::uint8_t>(random.below(64)));
    }
    std::set<Key> known;
    for (std::uint32_t i = 0; i < 6 && words.size() > 0; ++i) {
      const auto size = static_cast<std::uint32_t>(words.size());
      const std::uint32_t first = random.below(size);
      known.insert(name(words, {first, 1 + random.below(size - first)}));
    }
    for (const bool nested : {false, true}) {
      REQUIRE(recognize(words, known, nested) == slowly(words, known, nested));
    }
  }
}

#include <string>
#include <vector>

#include "bridge/entity_index.h"
#include "bridge/phrases.h"
#include "bridge/recognize.h"
#include "bridge/sentences.h"
#include "bridge/summary.h"
#include "bridge/words.h"
#include "count.h"
#include "text.h"
#include "toy_chars.h"

using namespace bridge;

namespace {

KeySet keys(std::vector<std::string_view> words) {
  std::vector<Key> all;
  for (const auto word : words) {
    all.push_back(word_key(word));
  }
  return KeySet(all);
}

// About 150,000 characters in paragraphs of five sentences.
std::string a_text(Random& random) {
  std::string text;
  for (int i = 1; i <= 1'500; ++i) {
    text += a_sentence(300, random) + (i % 5 == 0 ? "\n\n" : " ");
  }
  return text;
}

// Reads questions, and looks for what they mention among the entities of the text.
void count_recognize(const Mentions& known, const WordLists& lists, Random& random) {
  const EntityIndex index = EntityIndex::build(known.entities, known.chunks);
  std::vector<std::vector<std::uint8_t>> questions;
  for (int i = 0; i < 200; ++i) {
    const std::string question = a_sentence(300, random);
    questions.emplace_back(question.begin(), question.end());
  }
  count("recognize", [&] {
    std::size_t mentions = 0;
    for (const std::vector<std::uint8_t>& question : questions) {
      QuestionWords words = read_question(std::span(question), toy_chars(), lists).words;
      words.drop_breaks();
      const Probes probed = probes(words);
      std::vector<std::uint8_t> stored(probed.keys.size());
      mark_stored(index, probed, stored);
      mentions += choose(probed, stored, false).size();
    }
    return mentions;
  });
}

// Sentences of random words and scores, twenty a leaf, five leaves a root.
void count_summary(Random& random) {
  std::vector<double> scores;
  std::vector<std::uint32_t> sizes, offsets{0}, words, first, many, room;
  std::vector<std::uint8_t> is_leaf;
  for (std::uint32_t leaf = 0; leaf < 200; ++leaf) {
    for (int i = 0; i < 20; ++i) {
      scores.push_back(random.between(0, 1));
      sizes.push_back(10 + random.below(20));
      for (std::uint32_t j = 0, n = 5 + random.below(10); j < n; ++j) {
        words.push_back(random.below(1 + random.below(3'000)));
      }
      offsets.push_back(static_cast<std::uint32_t>(words.size()));
    }
    is_leaf.push_back(1);
    first.push_back(20 * leaf);
    many.push_back(20);
    room.push_back(60);
  }
  for (std::uint32_t root = 0; root < 40; ++root) {
    is_leaf.push_back(0);
    first.push_back(5 * root);
    many.push_back(5);
    room.push_back(100);
  }
  count("summary", [&] {
    return pick({scores, sizes, offsets, words}, {is_leaf, first, many, room}).sentences.size();
  });
}

}  // namespace

void count_text() {
  Random random(5);
  const std::string latin = a_text(random);
  const std::vector<std::uint8_t> units(latin.begin(), latin.end());
  const Text text = std::span(units);
  const CharTable& chars = toy_chars();
  const SentenceWords abbreviations{keys({"mr", "e.g"}), keys({"no"}), keys({"inc"}), keys({"The"}),
                                    keys({"the", "of"})};
  const WordLists lists{keys({"the", "of", "and", "in", "to", "is"}), keys({"of", "and"})};

  std::vector<Span> spans;
  count("sentences", [&] {
    spans = sentences(text, 0, units.size(), chars, abbreviations);
    return spans.size();
  });
  WordsRead words;
  count("words", [&] {
    words = read_words(text, spans, chars, lists);
    return words.keys.size();
  });
  const std::vector<std::uint32_t> one_chunk{0, static_cast<std::uint32_t>(spans.size())};
  Mentions mentions;
  count("phrases", [&] {
    mentions = phrases({words.keys, words.flags, words.borders, one_chunk}, {});
    return mentions.entities.size();
  });
  count_recognize(mentions, lists, random);
  count_summary(random);
}

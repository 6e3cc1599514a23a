#include "bridge/sentence_scores.h"

#include <doctest/doctest.h>

#include "toy_chars.h"

using namespace bridge;

namespace {

// Sentences of as many words as there are keys, all of one kind, behind one another.
struct Page {
  std::u32string text;
  std::vector<Span> spans;
  std::vector<Key> keys;
  std::vector<std::uint8_t> flags;
  std::vector<std::uint32_t> sentences{0}, chunks{0};

  Page& sentence(std::u32string_view shown, std::vector<Key> of, std::vector<std::uint8_t> is) {
    const auto start = static_cast<std::uint32_t>(text.size());
    text += shown;
    spans.push_back({start, static_cast<std::uint32_t>(text.size())});
    keys.insert(keys.end(), of.begin(), of.end());
    flags.insert(flags.end(), is.begin(), is.end());
    sentences.push_back(static_cast<std::uint32_t>(keys.size()));
    return *this;
  }
  SentenceScores scores(std::vector<Key> headings = {}) {
    chunks = {0, static_cast<std::uint32_t>(spans.size())};
    return score_sentences(wide(text), spans, {keys, flags, sentences, chunks}, headings,
                           toy_chars());
  }
};

}  // namespace

TEST_CASE("sizes leave breaks out, words leave function words out") {
  const auto found = Page()
                         .sentence(U"Aa b, c.", {1, 2, 0, 3}, {kCapital, kStop, kBreak, 0})
                         .sentence(U"D.", {4}, {0})
                         .scores();
  CHECK(found.sizes == std::vector<std::uint32_t>{3, 1});
  CHECK(found.offsets == std::vector<std::uint32_t>{0, 2, 3});
  CHECK(found.words.size() == 3);
}

TEST_CASE("a word of a heading, a whole sentence and an early one are worth more") {
  const auto plain = Page().sentence(U"A b.", {1, 2}, {0, 0}).sentence(U"C d.", {3, 4}, {0, 0});
  const auto scores = Page(plain).scores().scores;
  CHECK(scores[0] > scores[1]);
  CHECK(Page(plain).scores({4}).scores[1] > scores[1]);
  const auto half =
      Page().sentence(U"a b ", {1, 2}, {0, 0}).sentence(U"c d ", {3, 4}, {0, 0}).scores();
  CHECK(half.scores[0] < scores[0]);
}

TEST_CASE("a document without sentences has no scores") { CHECK(Page().scores().scores.empty()); }

TEST_CASE("a sentence of function words is worth nothing") {
  CHECK(Page().sentence(U"A b.", {1, 2}, {kStop, kStop}).scores().scores[0] == 0.0);
}

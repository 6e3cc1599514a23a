#include "bridge/name_reader.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "random.h"

using namespace bridge;

namespace {

// A document of words that have three letters and their key as stem.
struct Text {
  std::vector<Key> plain;
  std::vector<Stem> stems;
  std::vector<std::uint8_t> letters, flags;
  std::vector<std::uint32_t> sentences{0}, chunks{0};

  Text& word(Key key, unsigned bits) {
    plain.push_back(key);
    stems.push_back(static_cast<Stem>(key));
    letters.push_back(3);
    flags.push_back(static_cast<std::uint8_t>(bits));
    return *this;
  }
  Text& end_sentence() {
    sentences.push_back(static_cast<std::uint32_t>(plain.size()));
    return *this;
  }
  Text& end() {
    end_sentence();
    chunks.push_back(static_cast<std::uint32_t>(sentences.size() - 1));
    return *this;
  }
  NamesRead read() const { return read_names({plain, stems, letters, flags, sentences, chunks}); }
};

using Place = std::tuple<int, int, int>;  // first, words, run

std::vector<Place> places(const NamesRead& read) {
  std::vector<Place> all;
  for (const NameSpan& span : read.spans) {
    all.emplace_back(span.first, span.words, span.run);
  }
  return all;
}

}  // namespace

TEST_CASE("a document without chunks or words has no names") {
  CHECK(Text().read().span_borders == std::vector<std::uint32_t>{0});
  CHECK(Text().end().read().span_borders == std::vector<std::uint32_t>{0, 0});
  CHECK(Text().end().read().stem_borders == std::vector<std::uint32_t>{0, 0});
}

TEST_CASE("spans come by first word, the longer first, with their keys") {
  const NamesRead found = Text().word(9, 0).word(1, kCapital).word(2, kCapital).end().read();
  CHECK(places(found) == std::vector<Place>{{1, 2, 1}, {1, 1, 0}, {2, 1, 0}});
  CHECK(found.spans[0].name == entity_key(std::vector<Key>{1, 2}));
  CHECK(found.spans[2].name == entity_key(std::vector<Key>{2}));
}

TEST_CASE("a name reaches over two function words and one break, and over no more") {
  Text two, three;
  two.word(1, kCapital).word(8, kStop).word(9, kStop).word(2, kCapital).end();
  CHECK(places(two.read()) == std::vector<Place>{{0, 4, 0}, {0, 1, 1}, {3, 1, 1}});
  three.word(1, kCapital).word(7, kStop).word(8, kStop).word(9, kStop).word(2, kCapital).end();
  CHECK(places(three.read()) == std::vector<Place>{{0, 1, 1}, {4, 1, 1}});
  Text broken;
  broken.word(1, kCapital).word(0, kBreak).word(0, kBreak).word(2, kCapital).end();
  CHECK(places(broken.read()) == std::vector<Place>{{0, 2, 0}, {0, 1, 1}, {1, 1, 1}});
}

TEST_CASE("a number is no name, and a row that holds one is no run") {
  CHECK(Text().word(1, kNumber).word(2, kNumber).end().read().spans.empty());
  const NamesRead found = Text().word(1, kNumber).word(2, kCapital).word(3, kNumber).end().read();
  CHECK(places(found) == std::vector<Place>{{0, 3, 0}, {0, 2, 0}, {1, 2, 0}, {1, 1, 0}});
}

TEST_CASE("a long row is looked at in parts of twelve words, and names have at most eight") {
  Text text;
  for (Key key = 1; key <= 20; ++key) {
    text.word(key, kCapital);
  }
  const NamesRead found = text.end().read();
  CHECK(found.spans.size() == 5 * 8 + 7 * 8 / 2 + 1 * 8 + 7 * 8 / 2);
  CHECK(std::ranges::none_of(found.spans, [](const NameSpan& span) { return span.run != 0; }));
}

TEST_CASE("two letters are no name") {
  Text text;
  text.word(1, kCapital).word(9, 0).end();
  text.letters[0] = 2;
  CHECK(text.read().spans.empty());
}

TEST_CASE("positions count words, and eight between sentences") {
  Text text;
  text.word(1, 0).word(0, kBreak).word(2, 0).end_sentence().end_sentence();
  text.word(3, kStop).word(4, kCapital).end().word(5, 0).end();
  const NamesRead found = text.read();
  CHECK(found.stem_borders == std::vector<std::uint32_t>{0, 3, 4});
  CHECK(found.span_borders == std::vector<std::uint32_t>{0, 1, 1});
  CHECK(found.stems[1].position == 1);
  CHECK(found.stems[2].position == 2 + 8 + 8 + 1);
  CHECK(found.stems[3].position == 0);
  CHECK(found.stems[2].stem == 4);
  CHECK(found.spans[0].first == 19);
}

TEST_CASE("what lies behind the last position is left out") {
  Text text;
  for (int i = 0; i < 70000; ++i) {
    text.word(1, i % 2 == 0 ? unsigned{kCapital} : 0U);
  }
  const NamesRead found = text.end().read();
  CHECK(found.stems.size() == kMostPosition + 1U);
  CHECK(found.spans.back().first == kMostPosition);
}

TEST_CASE("spans of any words stand in order inside their chunk") {
  Random random(11);
  for (int round = 0; round < 500; ++round) {
    Text text;
    std::vector<int> words;
    for (std::uint32_t chunk = 0, n = random.below(5); chunk < n; ++chunk) {
      words.push_back(0);
      for (std::uint32_t word = 0, m = random.below(40); word < m; ++word) {
        text.word(random.next(), random.below(256));
        words.back() += (text.flags.back() & kBreak) == 0;
      }
      text.end();
    }
    const NamesRead found = text.read();
    REQUIRE(found.span_borders.size() == text.chunks.size());
    REQUIRE(found.span_borders.back() == found.spans.size());
    REQUIRE(found.stem_borders.back() == found.stems.size());
    for (std::size_t chunk = 0; chunk < words.size(); ++chunk) {
      for (std::size_t i = found.span_borders[chunk]; i < found.span_borders[chunk + 1]; ++i) {
        const NameSpan& span = found.spans[i];
        REQUIRE(span.words >= 1);
        REQUIRE(span.words <= 8);
        REQUIRE(span.first + span.words <= words[chunk]);
        if (i > found.span_borders[chunk]) {
          const NameSpan& before = found.spans[i - 1];
          REQUIRE(std::tuple(before.first, -before.words) < std::tuple(span.first, -span.words));
        }
      }
    }
  }
}

#include "bridge/walk.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace bridge;

// A document of one chunk that says "director" right before the last of its names.
NamedDocument document(std::string id, std::vector<Key> titles, std::vector<Key> names) {
  NamedDocument made{std::move(id), std::move(titles), {}, {}};
  std::uint16_t at = 0;
  for (const Key name : names) {
    made.read.spans.push_back({name, at, 1, 1});
    at = static_cast<std::uint16_t>(at + 50);
  }
  made.read.stems.push_back({7, static_cast<std::uint16_t>(at - 51)});
  made.read.span_borders = {0, static_cast<std::uint32_t>(names.size())};
  made.read.stem_borders = {0, 1};
  return made;
}

// The film 0 names 11 and, as its director, 12; 1 is about 11, 2 about 12; 3 and 4 are neither.
std::vector<NamedDocument> films() {
  return {document("a", {10}, {11, 12}), document("b", {11}, {13}), document("c", {12}, {14}),
          document("d", {}, {13}), document("e", {}, {14})};
}

Image built(const std::vector<NamedDocument>& documents) {
  std::vector<const NamedDocument*> all;
  for (const NamedDocument& one : documents) {
    all.push_back(&one);
  }
  return build_names(all);
}

const std::vector<std::uint32_t> kFirst = {0, 1, 2, 3, 4, 5};

Push pushed(const WalkGraph& graph, double ask) {
  static const std::vector<Stem> stems = {7};
  static const std::vector<Key> names = {10};
  static const std::vector<double> weights = {1.0};
  const std::vector<double> asks = {ask};
  return Push(graph, {stems, asks}, {{}, {}, names, weights});
}

}  // namespace

TEST_CASE("a walk goes from the question's name to what is asked of it") {
  const Image image = built(films());
  const NameIndex index(image.bytes());
  const WalkGraph graph({{&index, kFirst, {}}}, {});
  const Push push = pushed(graph, 1.0);
  REQUIRE(push.chunks(100).size() >= 3);
  CHECK(push.chunks(100)[0] == 0);
  CHECK(push.chunks(100)[1] == 2);
  CHECK(push.weight(2) > push.weight(1));
  const auto way = push.way(2);
  REQUIRE(way.size() == 4);
  CHECK((way[0].is_name && way[0].name == 10));
  CHECK((!way[1].is_name && way[1].place.chunk == 0));
  CHECK((way[2].is_name && way[2].name == 12 && way[2].place.first == 50));
  CHECK(way[3].place.chunk == 2);
}

TEST_CASE("without a question both names weigh the same") {
  const Image image = built(films());
  const NameIndex index(image.bytes());
  const WalkGraph graph({{&index, kFirst, {}}}, {});
  const Push push = pushed(graph, 0.0);
  CHECK(push.weight(2) == doctest::Approx(push.weight(1)));
}

TEST_CASE("what is not alive is not there") {
  const Image image = built(films());
  const NameIndex index(image.bytes());
  const std::vector<std::uint8_t> alive = {1, 1, 0, 1, 1};
  const WalkGraph graph({{&index, kFirst, alive}}, {});
  CHECK(graph.live_chunks() == 4);
  CHECK(graph.facts(12).documents == 0);
  CHECK(pushed(graph, 1.0).weight(2) == 0);
}

TEST_CASE("two segments walk as one") {
  const auto all = films();
  const Image image = built(all), left = built({all.begin(), all.begin() + 2}),
              right = built({all.begin() + 2, all.end()});
  const NameIndex whole(image.bytes()), one(left.bytes()), two(right.bytes());
  const std::vector<std::uint32_t> first_two = {0, 1, 2}, first_three = {0, 1, 2, 3};
  const WalkGraph together({{&whole, kFirst, {}}}, {});
  const WalkGraph apart({{&one, first_two, {}}, {&two, first_three, {}}}, {});
  const Push a = pushed(together, 1.0), b = pushed(apart, 1.0);
  CHECK(a.chunks(100) == b.chunks(100));
  for (const std::uint32_t chunk : a.chunks(100)) {
    CHECK(a.weight(chunk) == b.weight(chunk));
  }
}

TEST_CASE("ties go by document id, then by chunk, across segments") {
  // Two chunks in each of "a", "é", "z" and "ab", in three segments.
  const auto two_chunks = [](const char* id) {
    NamedDocument made = document(id, {}, {});
    made.read.span_borders = {0, 0, 0};
    made.read.stem_borders = {0, 0, 0};
    made.read.stems.clear();
    return made;
  };
  const Image first = built({two_chunks("a"), two_chunks("\xC3\xA9")}),
              second = built({two_chunks("z")}), third = built({two_chunks("ab")});
  const NameIndex one(first.bytes()), two(second.bytes()), three(third.bytes());
  const std::vector<std::uint32_t> both = {0, 2, 4}, single = {0, 2};
  const WalkGraph graph({{&one, both, {}}, {&two, single, {}}, {&three, single, {}}}, {});
  const std::vector<std::uint32_t> expected = {0, 1, 6, 7, 4, 5, 2, 3};
  std::vector<std::uint32_t> chunks = {7, 3, 1, 5, 0, 6, 2, 4};
  std::sort(chunks.begin(), chunks.end(),
            [&](std::uint32_t a, std::uint32_t b) { return graph.before(a, b); });
  CHECK(chunks == expected);
}

TEST_CASE("leads are the names of the heaviest chunks, the asked one first") {
  const Image image = built(films());
  const NameIndex index(image.bytes());
  const WalkGraph graph({{&index, kFirst, {}}}, {});
  Push push = pushed(graph, 1.0);
  const auto leads = push.leads(1, 5);
  REQUIRE(leads.size() == 2);
  CHECK(leads[0].name == 12);
  CHECK(leads[0].place.chunk == 0);
}

TEST_CASE("an altered index is walked without harm") {
  const Image image = built(films());
  std::mt19937 random(3);
  for (int round = 0; round < 3000; ++round) {
    Image copy(image.bytes().size());
    std::copy(image.bytes().begin(), image.bytes().end(), copy.bytes().begin());
    for (int flips = 0; flips < 4; ++flips) {
      copy.bytes()[random() % copy.bytes().size()] ^= static_cast<std::byte>(1U << (random() % 8));
    }
    try {
      const NameIndex index(copy.bytes());
      if (index.documents() + 1 != kFirst.size() || index.chunks() != 5) {
        continue;
      }
      const WalkGraph graph({{&index, kFirst, {}}}, {});
      Push push = pushed(graph, 1.0);
      push.leads(6, 8);
      for (const std::uint32_t chunk : push.chunks(100)) {
        push.way(chunk);
      }
    } catch (const DamagedPayload&) {
    }
  }
}

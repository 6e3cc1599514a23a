#include "bridge/name_index.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "random.h"

using namespace bridge;

namespace {

using Documents = std::vector<NamedDocument>;

Key a_name(Random& random) { return mix(1 + random.below(25)); }

// None to three signs, of one byte and of two.
std::string random_id(Random& random) {
  std::string id;
  for (std::uint32_t i = 0, n = random.below(4); i < n; ++i) {
    id += random.below(3) == 0 ? "\xC3\xA9"
                               : std::string(1, static_cast<char>('a' + random.below(26)));
  }
  return id;
}

// Spans and words of a few chunks, in the order in which a reader leaves them.
NamedDocument random_document(Random& random) {
  NamedDocument document{random_id(random), {}, {}, {}};
  std::set<Key> title;
  for (std::uint32_t i = 0, n = random.below(4); i < n; ++i) {
    title.insert(random.below(3) == 0 ? random.next() : a_name(random));
    document.title_stems.push_back(random.below(50));
  }
  document.title_names.assign(title.begin(), title.end());
  NamesRead& read = document.read;
  read.span_borders = read.stem_borders = {0};
  for (std::uint32_t c = 0, n = 1 + random.below(4); c < n; ++c) {
    std::uint32_t first = 0;
    for (std::uint32_t i = 0, spans = random.below(12); i < spans; ++i) {
      first += 1 + random.below(3);
      for (std::uint32_t words = 3; words > 0; --words) {
        if (random.below(2) == 0) {
          read.spans.push_back({a_name(random), static_cast<std::uint16_t>(first),
                                static_cast<std::uint8_t>(words),
                                static_cast<std::uint8_t>(random.below(2))});
        }
      }
      read.stems.push_back({random.below(50), static_cast<std::uint16_t>(first)});
    }
    read.span_borders.push_back(static_cast<std::uint32_t>(read.spans.size()));
    read.stem_borders.push_back(static_cast<std::uint32_t>(read.stems.size()));
  }
  return document;
}

Documents random_documents(Random& random, std::uint32_t most) {
  Documents documents;
  for (std::uint32_t i = 0, n = random.below(most + std::uint64_t{1}); i < n; ++i) {
    documents.push_back(random_document(random));
  }
  return documents;
}

std::uint32_t chunks_of(const NamedDocument& document) {
  return static_cast<std::uint32_t>(document.read.span_borders.size() - 1);
}

Image build(const Documents& documents) {
  std::vector<const NamedDocument*> each;
  for (const NamedDocument& document : documents) {
    each.push_back(&document);
  }
  return build_names(each);
}

// What an index should say, from plain maps.
struct Truth {
  std::map<Key, std::map<std::uint32_t, bool>> postings;  // chunk -> a run there
  std::map<Key, std::set<std::uint32_t>> definitions;

  explicit Truth(const Documents& documents) {
    std::uint32_t chunk = 0;
    for (std::uint32_t d = 0; d < documents.size(); ++d) {
      for (const Key name : documents[d].title_names) {
        definitions[name].insert(d);
      }
      const NamesRead& read = documents[d].read;
      for (std::uint32_t c = 0; c < chunks_of(documents[d]); ++c, ++chunk) {
        for (std::size_t i = read.span_borders[c]; i < read.span_borders[c + 1]; ++i) {
          postings[read.spans[i].name][chunk] |= read.spans[i].run != 0;
        }
      }
    }
  }
};

void ask_everything(const NameIndex& index, std::span<const Key> names) {
  for (const Key name : names) {
    const std::size_t place = index.find(name);
    REQUIRE(place <= index.names());
    for (const std::uint32_t posting : index.postings(place)) {
      (void)posting;
    }
    CHECK(index.definitions(name).size() <= index.definitions().size());
  }
  CHECK(index.postings(index.names() + 1).empty());
  const auto chunks = static_cast<std::uint32_t>(index.chunks());
  for (const std::uint32_t chunk : {0U, chunks / 2, chunks - 1, chunks, kDropped}) {
    CHECK(index.stems(chunk).size() == index.positions(chunk).size());
    std::uint64_t sum = 0;
    for (const StoredSpan& span : index.spans(chunk)) {
      sum += span.name;
    }
    for (const Stem stem : index.stems(chunk)) {
      sum += stem;
    }
    CHECK(sum <= ~std::uint64_t{0});
  }
  const auto documents = static_cast<std::uint32_t>(index.documents());
  for (std::uint32_t document = 0; document <= std::min(documents, 20U); ++document) {
    CHECK(std::string(index.id(document)).size() == index.id(document).size());
  }
}

}  // namespace

TEST_CASE("an index of names tells where each stands and which titles define it") {
  Random random(1);
  for (int round = 0; round < 100; ++round) {
    const Documents documents = random_documents(random, 8);
    const Image image = build(documents);
    const NameIndex index(image.bytes());
    CHECK_NOTHROW(index.check());
    const Truth truth(documents);
    CHECK(index.names() == truth.postings.size());
    CHECK(index.documents() == documents.size());
    for (const auto& [name, chunks] : truth.postings) {
      const std::size_t place = index.find(name);
      REQUIRE(place < index.names());
      std::vector<std::uint32_t> expected;
      for (const auto& [chunk, run] : chunks) {
        expected.push_back(chunk | (run ? kRun : 0));
      }
      CHECK(std::ranges::equal(index.postings(place), expected));
      CHECK((index.entries()[place].title() == kNoTitle) == !truth.definitions.contains(name));
    }
    for (const auto& [name, titled] : truth.definitions) {
      std::vector<std::uint32_t> found;
      for (const Definition& here : index.definitions(name)) {
        CHECK(here.name == name);
        found.push_back(here.document);
      }
      CHECK(std::ranges::equal(found, titled));
    }
    CHECK(index.find(12345) == index.names());
    CHECK(index.definitions(12345).empty());
  }
}

TEST_CASE("a chunk has its spans and words, and those of its title behind them") {
  Random random(2);
  const Documents documents = random_documents(random, 20);
  const Image image = build(documents);
  const NameIndex index(image.bytes());
  std::uint32_t chunk = 0;
  for (std::size_t d = 0; d < documents.size(); ++d) {
    CHECK(index.id(static_cast<std::uint32_t>(d)) == documents[d].id);
    const NamesRead& read = documents[d].read;
    for (std::uint32_t c = 0; c < chunks_of(documents[d]); ++c, ++chunk) {
      const auto spans = index.spans(chunk);
      REQUIRE(spans.size() == read.span_borders[c + 1] - read.span_borders[c]);
      for (std::size_t i = 0; i < spans.size(); ++i) {
        const NameSpan& span = read.spans[read.span_borders[c] + i];
        CHECK(index.entries()[spans[i].name].key == span.name);
        CHECK(spans[i].first == span.first);
        CHECK(spans[i].words == span.words);
        CHECK(spans[i].run == span.run);
      }
      std::vector<Stem> stems;
      std::vector<std::uint16_t> positions;
      for (std::size_t i = read.stem_borders[c]; i < read.stem_borders[c + 1]; ++i) {
        stems.push_back(read.stems[i].stem);
        positions.push_back(read.stems[i].position);
      }
      for (const Stem stem : documents[d].title_stems) {
        stems.push_back(stem);
        positions.push_back(kTitlePosition);
      }
      CHECK(std::ranges::equal(index.stems(chunk), stems));
      CHECK(std::ranges::equal(index.positions(chunk), positions));
    }
  }
  CHECK(index.chunks() == chunk);
  CHECK(index.id(static_cast<std::uint32_t>(documents.size())).empty());
  CHECK(index.id(kDropped).empty());
}

TEST_CASE("a name is found among few and many, and next to those that are not there") {
  Random random(3);
  for (const std::uint32_t count : {0U, 1U, 2U, 9U, 500U, 20'000U}) {
    NamedDocument document{"a", {}, {}, {{}, {0, 0}, {}, {0, 0}}};
    std::vector<Key> names;
    for (std::uint32_t i = 0; i < count; ++i) {
      // half of them close together, as nobody's hashes are
      names.push_back(i % 2 == 0 ? random.next() : (Key{1} << 40) + 2 * i);
    }
    for (const Key name : names) {
      document.read.spans.push_back({name, 1, 1, 0});
    }
    document.read.span_borders = {0, count};
    const Image image = build({document});
    const NameIndex index(image.bytes());
    std::sort(names.begin(), names.end());
    for (std::size_t i = 0; i < names.size(); ++i) {
      CHECK(index.find(names[i]) == i);
      for (const Key near : {names[i] - 1, names[i] + 1}) {
        const bool there = std::binary_search(names.begin(), names.end(), near);
        CHECK((index.find(near) < index.names()) == there);
      }
    }
    CHECK(index.find(0) == index.names());
    CHECK(index.find(~Key{0}) == index.names());
  }
}

TEST_CASE("parts that are merged in any order are what is built of the documents they keep") {
  Random random(4);
  for (int round = 0; round < 300; ++round) {
    struct Place {
      std::size_t part, document;
    };
    std::vector<Documents> parts(random.below(4));
    std::vector<std::vector<std::uint32_t>> firsts, maps;
    std::vector<Place> kept;
    for (std::size_t part = 0; part < parts.size(); ++part) {
      parts[part] = random_documents(random, 6);
      firsts.push_back({0});
      for (std::size_t d = 0; d < parts[part].size(); ++d) {
        firsts.back().push_back(firsts.back().back() + chunks_of(parts[part][d]));
        if (random.below(3) > 0) {
          kept.push_back({part, d});
        }
      }
      maps.emplace_back(firsts.back().back(), kDropped);
    }
    for (std::size_t i = 0; i < kept.size(); ++i) {
      std::swap(kept[i], kept[i + random.below(kept.size() - i)]);
    }
    Documents left;
    std::uint32_t next = 0;
    for (const auto [part, document] : kept) {
      left.push_back(parts[part][document]);
      for (std::uint32_t c = firsts[part][document]; c < firsts[part][document + 1]; ++c) {
        maps[part][c] = next++;
      }
    }
    std::vector<Image> images;
    for (const Documents& documents : parts) {
      images.push_back(build(documents));
    }
    std::vector<NameIndex> indexes;
    for (const Image& image : images) {
      indexes.emplace_back(image.bytes());
    }
    std::vector<const NameIndex*> each;
    for (const NameIndex& index : indexes) {
      each.push_back(&index);
    }
    const Image merged =
        merge_names(each, std::vector<std::span<const std::uint32_t>>(firsts.begin(), firsts.end()),
                    std::vector<Renumbering>(maps.begin(), maps.end()));
    CHECK(std::ranges::equal(merged.bytes(), build(left).bytes()));
  }
}

TEST_CASE("a merge refuses maps and borders that do not fit") {
  Random random(5);
  const Documents documents{random_document(random), random_document(random)};
  const std::uint32_t one = chunks_of(documents[0]), all = one + chunks_of(documents[1]);
  const Image image = build(documents);
  const NameIndex index(image.bytes());
  using Row = std::vector<std::uint32_t>;
  const auto merge = [&](const Row& first, const Row& map) {
    const NameIndex* parts[] = {&index};
    const std::span<const std::uint32_t> firsts[] = {first};
    const Renumbering maps[] = {map};
    return merge_names(parts, firsts, maps);
  };
  const Row borders{0, one, all};
  Row map(all);
  std::iota(map.begin(), map.end(), 0U);
  CHECK(std::ranges::equal(merge(borders, map).bytes(), image.bytes()));
  for (const Row& wrong : {Row{}, Row{0, all}, Row{0, 0, all}, Row{0, one, all + 1},
                           Row{1, one, all}, Row{0, one, all, all}}) {
    CHECK_THROWS_AS(merge(wrong, map), std::invalid_argument);
  }
  Row twice = map;
  twice.back() = 0;
  CHECK_THROWS_AS(merge(borders, twice), std::invalid_argument);
  CHECK_THROWS_AS(merge(borders, Row(all + 1, kDropped)), std::invalid_argument);
  const Documents long_one{[&] {
    NamedDocument document = random_document(random);
    while (chunks_of(document) < 2) {
      document = random_document(random);
    }
    return document;
  }()};
  const Image other = build(long_one);
  const NameIndex halved(other.bytes());
  Row half(halved.chunks(), kDropped);
  half[0] = 0;
  const Row whole{0, static_cast<std::uint32_t>(halved.chunks())};
  const NameIndex* parts[] = {&halved};
  const std::span<const std::uint32_t> firsts[] = {whole};
  const Renumbering maps[] = {half};
  CHECK_THROWS_AS(merge_names(parts, firsts, maps), std::invalid_argument);
}

TEST_CASE("an altered index of names either has nothing out of bounds or is not merged") {
  Random random(6);
  Documents documents;
  while (documents.size() < 3) {
    documents = random_documents(random, 4);
  }
  std::vector<std::uint32_t> firsts{0};
  for (const NamedDocument& document : documents) {
    firsts.push_back(firsts.back() + chunks_of(document));
  }
  std::vector<std::uint32_t> map(firsts.back());
  std::iota(map.begin(), map.end(), 0U);
  const std::size_t all_letters = std::accumulate(
      documents.begin(), documents.end(), std::size_t{0},
      [](std::size_t sum, const NamedDocument& document) { return sum + document.id.size(); });
  const Image whole = build(documents);
  int noticed = 0;
  for (int round = 0; round < 5000; ++round) {
    Image image(whole.bytes().size());
    std::ranges::copy(whole.bytes(), image.bytes().begin());
    const auto bytes = image.bytes();
    bytes[64 + random.below(bytes.size() - 64)] ^= static_cast<std::byte>(1U << random.below(8));
    const NameIndex index(bytes);
    try {
      index.check();
      for (std::uint32_t chunk = 0; chunk < index.chunks(); ++chunk) {
        for (const StoredSpan& span : index.spans(chunk)) {
          CHECK(span.name < index.names());
        }
      }
      for (std::size_t place = 0; place < index.names(); ++place) {
        CHECK(index.find(index.entries()[place].key) == place);
        CHECK(!index.postings(place).empty());
        for (const std::uint32_t posting : index.postings(place)) {
          CHECK((posting & ~kRun) < index.chunks());
        }
      }
      for (const Definition& here : index.definitions()) {
        CHECK(here.document < index.documents());
      }
      std::size_t letters = 0;
      for (std::uint32_t document = 0; document < index.documents(); ++document) {
        letters += index.id(document).size();
      }
      CHECK(letters == all_letters);
    } catch (const DamagedPayload&) {
      ++noticed;
      const NameIndex* parts[] = {&index};
      const std::span<const std::uint32_t> starts[] = {firsts};
      const Renumbering maps[] = {map};
      CHECK_THROWS_AS(merge_names(parts, starts, maps), DamagedPayload);
    }
  }
  CHECK(noticed > 1000);
}

TEST_CASE("an altered index of names is refused or stays within its borders") {
  Random random(7);
  const Documents documents = random_documents(random, 12);
  const Image whole = build(documents);
  std::vector<Key> names{0, ~Key{0}, 12345};
  for (Key i = 0; i < 30; ++i) {
    names.push_back(mix(i));
  }
  for (int round = 0; round < 3000; ++round) {
    Image image(whole.bytes().size());
    std::ranges::copy(whole.bytes(), image.bytes().begin());
    const auto bytes = image.bytes();
    for (int i = 0; i < 3; ++i) {
      const bool in_header = random.below(2) == 0;
      bytes[random.below(in_header ? std::size_t{64} : bytes.size())] =
          static_cast<std::byte>(random.below(256));
    }
    try {
      const NameIndex index(bytes);
      ask_everything(index, names);
      index.check();
    } catch (const DamagedPayload&) {
    }
  }
}

TEST_CASE("an index of names that is cut short or padded is refused") {
  Random random(8);
  const Image image = build({random_document(random)});
  std::vector<std::uint64_t> copy(image.bytes().size() / 8 + 1);
  std::memcpy(copy.data(), image.bytes().data(), image.bytes().size());
  const auto all = std::as_bytes(std::span(copy));
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{8}, image.bytes().size() - 8, all.size()}) {
    CHECK_THROWS_AS(NameIndex(all.first(size)), DamagedPayload);
  }
  CHECK_NOTHROW(NameIndex(all.first(image.bytes().size())));
}

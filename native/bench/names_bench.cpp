#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "bridge/name_index.h"
#include "bridge/name_reader.h"
#include "bridge/walk.h"
#include "bridge/words.h"
#include "count.h"
#include "text.h"
#include "toy_chars.h"

using namespace bridge;

namespace {

constexpr std::uint32_t kDocuments = 300, kChunks = 3, kSentences = 6;  // of a document, of a chunk

const WordLists& lists() {
  static const WordLists made{KeySet(std::vector{word_key("the"), word_key("of"), word_key("and"),
                                                 word_key("in"), word_key("to"), word_key("is")}),
                              KeySet(std::vector{word_key("of"), word_key("and")})};
  return made;
}

// The words of one document, with its sentences and chunks.
struct Page {
  WordsRead words;
  std::vector<std::uint32_t> chunks;

  NameStream stream() const {
    return {words.keys, words.stems, words.letters, words.flags, words.borders, chunks};
  }
};

Page read_page(std::uint32_t number, Random& random) {
  std::string text;
  std::vector<Span> spans;
  std::vector<std::uint32_t> chunks{0};
  for (std::uint32_t i = 0; i < kChunks * kSentences; ++i) {
    const auto start = static_cast<std::uint32_t>(text.size());
    text += i == 0 ? made_name(number) + " is here. " : a_sentence(kDocuments, random) + " ";
    spans.push_back({start, static_cast<std::uint32_t>(text.size() - 1)});
    if ((i + 1) % kSentences == 0) {
      chunks.push_back(i + 1);
    }
  }
  const std::vector<std::uint8_t> units(text.begin(), text.end());
  return {read_words(std::span(units), spans, toy_chars(), lists()), std::move(chunks)};
}

// The keys of the words of a name.
std::vector<Key> name_words(std::uint32_t number) {
  std::string name = made_name(number);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  const std::size_t gap = name.find(' ');
  return {word_key(name.substr(0, gap)), word_key(name.substr(gap + 1))};
}

Key name_key(std::uint32_t number) { return entity_key(name_words(number)); }

// Walks from a name and five passages each, with two words that are asked beside names.
std::size_t walk(const WalkGraph& graph) {
  std::size_t chunks = 0;
  for (std::uint32_t question = 0; question < 10; ++question) {
    Random random(question);
    const std::vector<Key> names{name_key(random.below(kDocuments))};
    const std::vector<double> weights{0.5}, asks{0.5, 0.5}, chunk_weights(5, 0.1);
    std::vector<std::uint32_t> start;
    for (std::uint32_t i = 0; i < 5; ++i) {
      start.push_back(100 * i + random.below(100));
    }
    std::vector<Stem> stems;
    for (const std::uint64_t word : {question, 100 + question}) {
      stems.push_back(static_cast<Stem>(word_key(made_word(word))));
    }
    Push push(graph, {stems, asks}, {start, chunk_weights, names, weights});
    chunks += push.chunks(100).size() + push.leads(6, 8).size();
  }
  return chunks;
}

}  // namespace

void count_names() {
  Random random(6);
  std::vector<Page> pages;
  for (std::uint32_t number = 0; number < kDocuments; ++number) {
    pages.push_back(read_page(number, random));
  }
  std::vector<NamedDocument> documents;
  count("names_read", [&] {
    for (const Page& page : pages) {
      documents.push_back({{}, {}, {}, read_names(page.stream())});
    }
    return documents.size();
  });
  std::vector<const NamedDocument*> all;
  for (std::uint32_t number = 0; number < kDocuments; ++number) {
    documents[number].id = std::to_string(number);
    documents[number].title_names = {name_key(number)};
    for (const Key word : name_words(number)) {
      documents[number].title_stems.push_back(static_cast<Stem>(word));
    }
    all.push_back(&documents[number]);
  }
  Image image(0);
  count("names_build", [&] {
    image = build_names(all);
    return image.bytes().size();
  });

  const NameIndex index(image.bytes());
  std::vector<Key> asked;  // every other one is unknown
  for (std::uint32_t i = 0; i < 8'192; ++i) {
    asked.push_back(i % 2 == 0 ? index.entries()[random.below(index.names())].key : random.next());
  }
  count("names_find", [&] {
    std::size_t known = 0;
    for (const Key name : asked) {
      known += index.find(name) < index.names();
    }
    return known;
  });

  std::vector<std::uint32_t> first_chunk;
  for (std::uint32_t number = 0; number <= kDocuments; ++number) {
    first_chunk.push_back(kChunks * number);
  }
  const WalkGraph graph({{&index, first_chunk, {}}}, {});
  count("walk_push", [&] { return walk(graph); });
}

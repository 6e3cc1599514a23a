#include "bridge/phrases.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace bridge {
namespace {

constexpr std::size_t kTermWords = 5;
constexpr std::size_t kPhraseWords = 3;  // a run of so many is likely one phrase
constexpr std::size_t kNameWords = 8;
constexpr std::size_t kHanSigns = 6;
constexpr std::size_t kConnectors = 2;        // side by side: "of the"
constexpr std::size_t kShortDocument = 25;   // chunks; a tree of two levels by default
constexpr std::size_t kBlockWords = 1 << 18;

// How good the evidence is that a phrase is an entity. "Repeated": see `repeated`.
enum class Kind : std::uint32_t {
  kSure,      // kept
  kLikely,    // kept; in a long document only if repeated
  kPiece,     // kept if repeated
  kShortWord  // kept if repeated; never in a long document
};

struct Occurrence {
  Key entity;
  Key around;  // key of the whole run it was found in
  std::uint32_t chunk;
  Kind kind;
};

using Pair = std::pair<Key, std::uint32_t>;  // entity, chunk

// Collects the occurrences of one document, sentence by sentence.
class Collector {
 public:
  Collector(const WordStream& words, std::vector<Occurrence>& found)
      : words_(words), found_(found) {}

  void sentence(std::size_t first, std::size_t last, std::uint32_t chunk) {
    while (first < last && has(first, kBreak)) ++first;
    chunk_ = chunk;
    first_ = first;
    last_ = last;
    for (std::size_t i = first; i < last; ++i) {
      if (has(i, kBreak)) continue;
      std::size_t end = i;
      while (end < last && !has(end, kBreak)) ++end;
      names(i, end);
      terms(i, end);
      i = end;
    }
  }

 private:
  bool has(std::size_t i, unsigned bits) const { return (words_.flags[i] & bits) != 0; }

  void emit(Key entity, Key around, Kind kind) { found_.push_back({entity, around, chunk_, kind}); }

  Key fold(std::size_t first, std::size_t last) const {
    return entity_key(words_.keys.subspan(first, last - first));
  }

  // ---- names

  void names(std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last;) {
      const std::size_t end = proper(i) ? name_end(i, last) : i + 1;
      if (proper(i)) name(i, end);
      i = end;
    }
  }

  bool proper(std::size_t i) const {
    return has(i, kCapital) && (!has(i, kStop) || acronym_in_running_text(i));
  }

  // "WHO" and "US" are names in running text; in a line of capitals "AND" is none.
  bool acronym_in_running_text(std::size_t i) const {
    return has(i, kAcronym) && !(i > first_ && has(i - 1, kAcronym)) &&
           !(i + 1 < last_ && has(i + 1, kAcronym));
  }

  // One past the name that starts at `i`.
  std::size_t name_end(std::size_t i, std::size_t last) const {
    const std::size_t bound = std::min(last, i + kNameWords);
    std::size_t end = i + 1;
    for (std::size_t next = end; next < bound; ++next) {
      if (proper(next) || has(next, kNumber)) {
        end = next + 1;
      } else if (!has(next, kConnector) || next - end >= kConnectors) {
        break;
      }
    }
    return end;
  }

  void name(std::size_t first, std::size_t last) {
    const Key whole = fold(first, last);
    // The first word of a sentence may be a capital for its place only.
    const bool initial = first == first_ && !has(first, kAcronym);
    if (initial && last - first == 1) {
      emit(whole, whole, has(first, kLong) ? Kind::kLikely : Kind::kShortWord);
      return;
    }
    emit(whole, whole, Kind::kSure);
    for (std::size_t i = first; i < last; ++i) {
      Key key = kEmptyEntity;
      for (std::size_t j = i; j < last; ++j) {
        key = extend(key, words_.keys[j]);
        if (!proper(i) || !(proper(j) || (i < j && has(j, kNumber)))) continue;
        const bool ending = j + 1 == last;
        const bool begins = i == first || has(i - 1, kConnector | kNumber);
        const bool ends = ending || has(j + 1, kConnector | kNumber);
        if (i == first && ending) continue;
        if (initial && i == first + 1 && ending) {
          emit(key, whole, Kind::kSure);
        } else if (ending || (begins && ends)) {
          emit(key, whole, Kind::kLikely);
        }
      }
    }
  }

  // ---- terms and Han

  void terms(std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last;) {
      std::size_t end = i + 1;
      if (!has(i, kStop)) {
        const bool han_signs = has(i, kIdeograph);
        while (end < last && !has(end, kStop) && has(end, kIdeograph) == han_signs) ++end;
        han_signs ? han(i, end) : term(i, end);
      }
      i = end;
    }
  }

  // Runs of capitals and numbers are left to `names`.
  void term(std::size_t first, std::size_t last) {
    const Key whole = fold(first, last);
    for (std::size_t i = first; i < last; ++i) {
      Key key = extend(kEmptyEntity, words_.keys[i]);
      bool plain = !has(i, kCapital | kNumber);
      if (plain || (has(i, kNumber) && has(i, kLong)))
        emit(key, whole, has(i, kLong) ? Kind::kLikely : Kind::kShortWord);
      if (has(i, kNumber)) continue;
      for (std::size_t j = i + 1; j < std::min(last, i + kTermWords); ++j) {
        key = extend(key, words_.keys[j]);
        plain = plain || !has(j, kCapital | kNumber);
        const bool all = i == first && j + 1 == last && j - i < kPhraseWords;
        if (plain && !has(j, kNumber)) emit(key, whole, all ? Kind::kLikely : Kind::kPiece);
      }
    }
  }

  void han(std::size_t first, std::size_t last) {
    const Key whole = fold(first, last);
    for (std::size_t i = first; i < last; ++i) {
      Key key = extend(kEmptyEntity, words_.keys[i]);
      for (std::size_t j = i + 1; j < std::min(last, i + kHanSigns); ++j) {
        key = extend(key, words_.keys[j]);
        const bool at_front = i == first, at_back = j + 1 == last;
        const bool edge_pair = j == i + 1 && (at_front || at_back);
        emit(key, whole, edge_pair || (at_front && at_back) ? Kind::kSure : Kind::kPiece);
      }
    }
  }

  const WordStream& words_;
  std::vector<Occurrence>& found_;
  std::uint32_t chunk_ = 0;
  std::size_t first_ = 0, last_ = 0;  // the sentence
};

// Whether a phrase stands in two different runs, or twice as all of a run. One that only ever stands
// inside one longer phrase is not a phrase of its own (the idea of C-value).
bool repeated(std::span<const Occurrence> all) {
  std::size_t alone = 0;
  for (const Occurrence& one : all) {
    if (one.around != all.front().around) return true;
    if (one.around == one.entity && ++alone > 1) return true;
  }
  return false;
}

// Decides on one entity from all its occurrences in the document.
bool worth_keeping(std::span<const Occurrence> all, bool short_document) {
  Kind best = Kind::kShortWord;
  for (const Occurrence& one : all) best = std::min(best, one.kind);
  if (best == Kind::kSure || (best == Kind::kLikely && short_document)) return true;
  return (best != Kind::kShortWord || short_document) && repeated(all);
}

bool by_entity_and_chunk(const Occurrence& a, const Occurrence& b) {
  return std::tie(a.entity, a.chunk) < std::tie(b.entity, b.chunk);
}

// Adds the occurrences of each name of an alias pair to the other name; keeps the order.
void share_aliases(std::span<const Key> aliases, std::vector<Occurrence>& found) {
  const std::size_t before = found.size();
  const auto copy = [&](Key from, Key to) {
    const Occurrence low{from, 0, 0, Kind::kSure};
    for (std::size_t i = static_cast<std::size_t>(
             std::lower_bound(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(before), low,
                              by_entity_and_chunk) -
             found.begin());
         i < before && found[i].entity == from; ++i)
      found.push_back({to, to, found[i].chunk, Kind::kSure});
  };
  for (std::size_t i = 0; i + 1 < aliases.size(); i += 2) {
    copy(aliases[i], aliases[i + 1]);
    copy(aliases[i + 1], aliases[i]);
  }
  const auto middle = found.begin() + static_cast<std::ptrdiff_t>(before);
  std::sort(middle, found.end(), by_entity_and_chunk);
  std::inplace_merge(found.begin(), middle, found.end(), by_entity_and_chunk);
}

void decide(std::span<const Occurrence> found, bool short_document, std::vector<Pair>& kept) {
  for (std::size_t first = 0, last = 0; first < found.size(); first = last) {
    while (last < found.size() && found[last].entity == found[first].entity) ++last;
    if (!worth_keeping(found.subspan(first, last - first), short_document)) continue;
    for (std::size_t i = first; i < last; ++i)
      if (i == first || found[i].chunk != found[i - 1].chunk)
        kept.push_back({found[i].entity, found[i].chunk});
  }
}

// One past the chunks, from `chunk` on, that are decided on together: all of them, but for a
// document so long that its occurrences would fill the memory.
std::size_t block_end(const WordStream& words, std::size_t chunk) {
  const auto words_before = [&](std::size_t c) { return words.sentences[words.chunks[c]]; };
  const std::size_t start = words_before(chunk);
  std::size_t end = chunk + 1;
  while (end + 1 < words.chunks.size() && words_before(end + 1) - start <= kBlockWords) ++end;
  return end;
}

bool ascending(std::span<const std::uint32_t> borders, std::size_t end) {
  return !borders.empty() && borders.front() == 0 && borders.back() == end &&
         std::is_sorted(borders.begin(), borders.end());
}

}  // namespace

bool well_formed(const WordStream& words) {
  return words.keys.size() == words.flags.size() && ascending(words.sentences, words.keys.size()) &&
         ascending(words.chunks, words.sentences.size() - 1);
}

Mentions phrases(const WordStream& words, const Known& known) {
  const std::size_t chunks = words.chunks.size() - 1;
  std::vector<Pair> kept;
  std::vector<Occurrence> found;
  for (std::size_t first = 0, last = 0; first < chunks; first = last) {
    last = block_end(words, first);
    found.clear();
    for (std::size_t i = 0; i < known.entities.size(); ++i)
      if (first <= known.chunks[i] && known.chunks[i] < last)
        found.push_back({known.entities[i], known.entities[i], known.chunks[i], Kind::kSure});
    Collector collector(words, found);
    for (std::size_t chunk = first; chunk < last; ++chunk)
      for (std::size_t s = words.chunks[chunk]; s < words.chunks[chunk + 1]; ++s)
        collector.sentence(words.sentences[s], words.sentences[s + 1],
                           static_cast<std::uint32_t>(chunk));
    std::sort(found.begin(), found.end(), by_entity_and_chunk);
    share_aliases(known.aliases, found);
    decide(found, chunks <= kShortDocument, kept);
  }
  std::sort(kept.begin(), kept.end());  // one block is in order already, several are not
  Mentions mentions;
  mentions.entities.reserve(kept.size());
  mentions.chunks.reserve(kept.size());
  for (const auto& [entity, chunk] : kept) {
    mentions.entities.push_back(entity);
    mentions.chunks.push_back(chunk);
  }
  return mentions;
}

void ngram_keys(std::span<const Key> words, std::size_t max_words, std::span<Key> grams) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    Key key = kEmptyEntity;
    for (std::size_t n = 0; n < max_words; ++n) {
      key = i + n < words.size() ? extend(key, words[i + n]) : 0;
      grams[i * max_words + n] = key;
    }
  }
}

}  // namespace bridge

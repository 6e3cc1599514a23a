#include "bridge/phrases.h"

#include <algorithm>
#include <tuple>

namespace bridge {
namespace {

constexpr std::size_t kTermWords = 5;
constexpr std::size_t kNameWords = 8;
constexpr std::size_t kHanSigns = 6;
constexpr std::size_t kConnectors = 2;  // side by side: "of the"

enum class Kind : std::uint32_t { kName, kNamePart, kInitial, kTerm, kTermPart, kWord, kHan, kHanPart };

struct Occurrence {
  Key entity;
  Key around;  // key of the whole stretch it was found in
  std::uint32_t chunk;
  Kind kind;
};

// Collects the occurrences of one document, stretch by stretch.
class Collector {
 public:
  Collector(const WordStream& words, std::vector<Occurrence>& found) : words_(words), found_(found) {}

  void sentence(std::size_t first, std::size_t last, std::uint32_t chunk) {
    chunk_ = chunk;
    start_ = first;
    for (std::size_t i = first; i < last;) {
      if (has(i, kBreak)) {
        ++i;
        continue;
      }
      std::size_t end = i;
      while (end < last && !has(end, kBreak)) ++end;
      names(i, end);
      terms(i, end);
      i = end;
    }
  }

 private:
  bool has(std::size_t i, unsigned bits) const { return (words_.flags[i] & bits) != 0; }
  bool proper(std::size_t i) const {
    return has(i, kCapital) && (!has(i, kStop) || acronym_among_others(i));
  }
  // "WHO" or "US" in running text; in a line of capitals "AND" is no acronym.
  bool acronym_among_others(std::size_t i) const {
    if (!has(i, kAcronym)) return false;
    const bool before = i > start_ && has(i - 1, kAcronym);
    const bool after = i + 1 < words_.keys.size() && has(i + 1, kAcronym);
    return !before && !after;
  }

  void emit(Key entity, Key around, Kind kind) { found_.push_back({entity, around, chunk_, kind}); }

  Key fold(std::size_t first, std::size_t last) const {
    return entity_key(words_.keys.subspan(first, last - first));
  }

  void names(std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last;) {
      if (!proper(i)) {
        ++i;
        continue;
      }
      const std::size_t end = name_end(i, last);
      name(i, end);
      i = end;
    }
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
    const bool initial = first == start_;
    if (initial && last - first == 1 && !has(first, kAcronym)) {
      if (has(first, kLong)) emit(whole, whole, Kind::kInitial);
      return;
    }
    emit(whole, whole, Kind::kName);
    for (std::size_t i = first; i < last; ++i) {
      if (edge_unfit(i)) continue;
      Key key = kEmptyEntity;
      for (std::size_t j = i; j < last; ++j) {
        key = extend(key, words_.keys[j]);
        if (edge_unfit(j) || (i == first && j + 1 == last)) continue;
        if (i == j && has(i, kNumber) && !has(i, kLong)) continue;
        // The first word of a sentence may be capital for its place only.
        const bool bare = initial && i == first + 1 && j + 1 == last;
        emit(key, whole, bare ? Kind::kName : Kind::kNamePart);
      }
    }
  }

  bool edge_unfit(std::size_t i) const { return has(i, kStop | kConnector) && !has(i, kAcronym); }

  void terms(std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last;) {
      if (has(i, kStop)) {
        ++i;
        continue;
      }
      const unsigned script = words_.flags[i] & kIdeograph;
      std::size_t end = i;
      while (end < last && !has(end, kStop) && (words_.flags[end] & kIdeograph) == script) ++end;
      script != 0 ? han(i, end) : term(i, end);
      i = end;
    }
  }

  // Runs of capitals are names already and left out here.
  void term(std::size_t first, std::size_t last) {
    const Key whole = fold(first, last);
    for (std::size_t i = first; i < last; ++i) {
      Key key = kEmptyEntity;
      bool plain = false;
      for (std::size_t j = i; j < std::min(last, i + kTermWords); ++j) {
        key = extend(key, words_.keys[j]);
        plain = plain || !has(j, kCapital | kNumber);
        if (i == j) {
          const bool alone = has(i, kLong) && !has(i, kCapital);
          if (alone) emit(key, whole, Kind::kWord);
          continue;
        }
        if (!plain || has(j, kNumber) || has(i, kNumber)) continue;
        emit(key, whole, i == first && j + 1 == last ? Kind::kTerm : Kind::kTermPart);
      }
    }
  }

  void han(std::size_t first, std::size_t last) {
    const Key whole = fold(first, last);
    for (std::size_t i = first; i < last; ++i) {
      Key key = kEmptyEntity;
      for (std::size_t j = i; j < std::min(last, i + kHanSigns); ++j) {
        key = extend(key, words_.keys[j]);
        if (i == j) continue;
        emit(key, whole, i == first && j + 1 == last ? Kind::kHan : Kind::kHanPart);
      }
    }
  }

  const WordStream& words_;
  std::vector<Occurrence>& found_;
  std::uint32_t chunk_ = 0;
  std::size_t start_ = 0;
};

// Decides on one entity from all its occurrences in the document.
bool worth_keeping(std::span<const Occurrence> all) {
  std::size_t count[8] = {};
  bool apart = false;  // found in two different stretches
  for (const Occurrence& one : all) {
    ++count[static_cast<std::size_t>(one.kind)];
    apart = apart || one.around != all.front().around;
  }
  const auto of = [&](Kind kind) { return count[static_cast<std::size_t>(kind)]; };
  if (of(Kind::kName) > 0 || of(Kind::kHan) > 0) return true;
  if (of(Kind::kNamePart) > 0) return true;
  if (of(Kind::kHanPart) > 0) return apart;
  if (of(Kind::kTerm) + of(Kind::kTermPart) > 0) return apart || of(Kind::kTerm) > 0;
  return apart;
}

bool by_entity_and_chunk(const Occurrence& a, const Occurrence& b) {
  return std::tie(a.entity, a.chunk) < std::tie(b.entity, b.chunk);
}

// Adds the occurrences of each name of an alias pair to the other name; keeps the order.
void share_aliases(std::span<const Key> aliases, std::vector<Occurrence>& found) {
  const std::size_t before = found.size();
  const auto copy = [&](Key from, Key to) {
    const Occurrence low{from, 0, 0, Kind::kName};
    for (std::size_t i = static_cast<std::size_t>(
             std::lower_bound(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(before), low,
                              by_entity_and_chunk) -
             found.begin());
         i < before && found[i].entity == from; ++i)
      found.push_back({to, to, found[i].chunk, Kind::kName});
  };
  for (std::size_t i = 0; i + 1 < aliases.size(); i += 2) {
    copy(aliases[i], aliases[i + 1]);
    copy(aliases[i + 1], aliases[i]);
  }
  const auto middle = found.begin() + static_cast<std::ptrdiff_t>(before);
  std::sort(middle, found.end(), by_entity_and_chunk);
  std::inplace_merge(found.begin(), middle, found.end(), by_entity_and_chunk);
}

Mentions decide(std::span<const Occurrence> found) {
  Mentions kept;
  for (std::size_t first = 0, last = 0; first < found.size(); first = last) {
    while (last < found.size() && found[last].entity == found[first].entity) ++last;
    if (!worth_keeping(found.subspan(first, last - first))) continue;
    for (std::size_t i = first; i < last; ++i) {
      if (i > first && found[i].chunk == found[i - 1].chunk) continue;
      kept.entities.push_back(found[i].entity);
      kept.chunks.push_back(found[i].chunk);
    }
  }
  return kept;
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
  std::vector<Occurrence> found;
  found.reserve(words.keys.size() * 2 + known.entities.size());
  for (std::size_t i = 0; i < known.entities.size(); ++i)
    found.push_back({known.entities[i], known.entities[i], known.chunks[i], Kind::kName});
  Collector collector(words, found);
  for (std::size_t chunk = 0; chunk + 1 < words.chunks.size(); ++chunk)
    for (std::uint32_t s = words.chunks[chunk]; s < words.chunks[chunk + 1]; ++s)
      collector.sentence(words.sentences[s], words.sentences[s + 1], static_cast<std::uint32_t>(chunk));
  std::sort(found.begin(), found.end(), by_entity_and_chunk);
  share_aliases(known.aliases, found);
  return decide(found);
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

// Recognises the entities of a question by probing its n-grams.          Bridge-RAG, section 3.2
//
// An n-gram of one to eight words could be an entity where one of its words is no function word (an
// acronym that spells one is none: "WHO") and where it is more than a single Han character. Which
// of them are stored is asked of the entity indexes, all in one batch each.
//
// Threads: safe to call at once from many threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bridge/entity_index.h"
#include "bridge/hash.h"
#include "bridge/words.h"

namespace bridge {

inline constexpr std::size_t kMentionWords = 8;

// The words [first, first + words) of a question.
struct Stretch {
  std::uint32_t first;
  std::uint32_t words;
  bool operator==(const Stretch&) const = default;
};

// N-grams that could be entities, shorter ones first, then in the order of their first words.
struct Probes {
  std::vector<Key> keys;
  std::vector<Stretch> places;  // as many
};

struct Mention {
  Key entity;
  Stretch place;
  bool operator==(const Mention&) const = default;
};

// Returns the n-grams of a question that are to be looked up, eight a word at most.
// Requires: no breaks among the words.
Probes probes(const QuestionWords& words);

// Sets stored[i] where `index` has probes.keys[i]; leaves the others.
// Requires: |stored| == |probes.keys|. Cost: `count_many`.
void mark_stored(const EntityIndex& index, const Probes& probes, std::span<std::uint8_t> stored);

// Returns those of the stored n-grams that are taken for mentions, from left to right. Longer ones
// win over shorter ones they overlap, then the one further left; with `nested` all are mentions,
// the longer first where two begin together. Requires: |stored| == |probes.keys|.
std::vector<Mention> choose(const Probes& probes, std::span<const std::uint8_t> stored,
                            bool nested);

}  // namespace bridge

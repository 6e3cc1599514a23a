#include "bridge/recognize.h"

#include <algorithm>
#include <utility>

namespace bridge {
namespace {

bool content(std::uint8_t flags) { return (flags & kStop) == 0 || (flags & kAcronym) != 0; }

// Leaves out what overlaps a mention before it.
void take_apart(std::vector<Mention>& mentions) {
  std::uint32_t end = 0;
  for (const Mention& mention : mentions) {
    end = std::max(end, mention.place.first + mention.place.words);
  }
  std::vector<bool> taken(end);
  std::erase_if(mentions, [&taken](const Mention& mention) {
    const auto from = taken.begin() + mention.place.first, to = from + mention.place.words;
    if (std::find(from, to, true) != to) {
      return true;
    }
    std::fill(from, to, true);
    return false;
  });
}

}  // namespace

Probes probes(const QuestionWords& words) {
  const std::size_t size = words.size();
  Probes found;
  found.keys.reserve(size * kMentionWords);
  found.places.reserve(size * kMentionWords);
  // Of the n-gram that begins at each word. All of a length side by side: one does not wait for the
  // other.
  std::vector<Key> entities(size, kEmptyEntity);
  std::vector<std::uint8_t> could_be(size);
  for (std::uint32_t count = 1; count <= std::min(kMentionWords, size); ++count) {
    for (std::uint32_t first = 0; first + count <= size; ++first) {
      const std::size_t last = first + count - 1;
      entities[first] = extend(entities[first], words.keys[last]);
      could_be[first] |= content(words.flags[last]);
      const bool lone_sign = count == 1 && (words.flags[first] & kIdeograph) != 0;
      if (could_be[first] && !lone_sign && entities[first] != 0) {
        found.keys.push_back(entities[first]);
        found.places.push_back({first, count});
      }
    }
  }
  return found;
}

void mark_stored(const EntityIndex& index, const Probes& probes, std::span<std::uint8_t> stored) {
  std::vector<std::uint32_t> counts(probes.keys.size());
  index.count_many(probes.keys, counts);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    stored[i] |= counts[i] != 0;
  }
}

std::vector<Mention> choose(const Probes& probes, std::span<const std::uint8_t> stored,
                            bool nested) {
  std::vector<Mention> mentions;
  for (std::size_t i = 0; i < stored.size(); ++i) {
    if (stored[i] != 0) {
      mentions.push_back({probes.keys[i], probes.places[i]});
    }
  }
  if (!nested) {
    std::ranges::sort(mentions, {}, [](const Mention& mention) {
      return std::pair(~mention.place.words, mention.place.first);
    });
    take_apart(mentions);
  }
  std::ranges::sort(mentions, {}, [](const Mention& mention) {
    return std::pair(mention.place.first, ~mention.place.words);
  });
  return mentions;
}

}  // namespace bridge

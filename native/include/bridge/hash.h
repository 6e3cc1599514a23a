// Hashes of words and entities: the same numbers on every machine, because they are stored.
//
// A word's key is FNV-1a over its normalised UTF-8 bytes, finished by SplitMix64's mixer. An
// entity's key folds the keys of its words from the left, so that the keys of all n-grams of a
// sentence come from word keys alone, without building a string.
//
// Not meant to resist someone who looks for collisions: two entities with one key share a list.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace bridge {

using Key = std::uint64_t;

inline constexpr Key kEmptyEntity = 0x9E3779B97F4A7C15ULL;

constexpr Key mix(Key x) {
  x ^= x >> 30;
  x *= 0xBF58476D1CE4E5B9ULL;
  x ^= x >> 27;
  x *= 0x94D049BB133111EBULL;
  x ^= x >> 31;
  return x;
}

// FNV-1a a byte at a time; `mix` what comes out at the end of a word.
inline constexpr Key kEmptySpelling = 0xCBF29CE484222325ULL;

constexpr Key spell(Key spelling, unsigned char byte) {
  return (spelling ^ byte) * 0x100000001B3ULL;
}

constexpr Key word_key(std::string_view utf8) {
  Key h = kEmptySpelling;
  for (char c : utf8) h = spell(h, static_cast<unsigned char>(c));
  return mix(h);
}

// The key of an entity one word longer: fold with `kEmptyEntity` to start.
constexpr Key extend(Key entity, Key word) { return mix(entity * 0xD1342543DE82EF95ULL + word); }

constexpr Key entity_key(std::span<const Key> words) {
  Key h = kEmptyEntity;
  for (Key w : words) h = extend(h, w);
  return h;
}

}  // namespace bridge

// Made-up English for the benchmarks of what reads text.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "random.h"

// A word of two to four syllables, always the same for a number.
inline std::string made_word(std::uint64_t number) {
  static constexpr const char* kSyllables[] = {"ba", "con", "der", "e",  "fin", "gor", "hal", "i",
                                               "lo", "mar", "nes", "or", "pre", "ri",  "sta", "tu"};
  Random random(number);
  std::string word;
  for (std::uint32_t i = 0, n = 2 + random.below(3); i < n; ++i) {
    word += kSyllables[random.below(16)];
  }
  return word;
}

inline std::string capitalised(std::string word) {
  word[0] = static_cast<char>(word[0] - 'a' + 'A');
  return word;
}

// The name that document `number` is about, of two words.
inline std::string made_name(std::uint64_t number) {
  return capitalised(made_word(2 * number + 10'000)) + " " +
         capitalised(made_word(2 * number + 10'001));
}

// One of 3,000 words, or a function word, by a frequency that falls with its number.
inline std::string a_word(Random& random) {
  static constexpr const char* kFunctionWords[] = {"the", "of", "and", "in", "to", "is"};
  return random.below(3) == 0 ? kFunctionWords[random.below(6)]
                              : made_word(random.below(1 + random.below(3'000)));
}

// A sentence of 5 to 24 words, some of them the names of documents below `names`.
inline std::string a_sentence(std::uint32_t names, Random& random) {
  std::string sentence = "The";
  for (std::uint32_t i = 0, n = 5 + random.below(20); i < n; ++i) {
    const std::uint32_t kind = random.below(20);
    sentence += kind == 0   ? " " + made_name(random.below(1 + random.below(names)))
                : kind == 1 ? " " + std::to_string(1900 + random.below(120))
                : kind == 2 ? ", caf\xE9"  // Latin-1
                            : " " + a_word(random);
  }
  return sentence + ".";
}

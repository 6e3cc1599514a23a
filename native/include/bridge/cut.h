// Cuts sentences that are too long for a chunk into pieces: after a clause, else between words.
//
// Threads: safe to call at once from many threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bridge/chars.h"

namespace bridge {

// The words of some spans of a text, where every CJK character is one, with the punctuation behind
// it. `place` is the number of the span. No more than the first `most` are given; what follows is
// found from where the last one ends.
//
// Requires: spans lie in `text`.
std::vector<Odd> atoms(const Text& text, std::span<const Span> spans, const CharTable& chars,
                       std::size_t most);

// Atoms, or parts of them, in order, and what each takes of a chunk's room. A piece holds
// neighbours of one number in `places`.
struct Atoms {
  std::span<const std::uint32_t> places;
  std::span<const Span> spans;
  std::span<const std::uint32_t> sizes;
};

// Where each piece ends among the atoms. A piece takes atoms until the next one would not fit; then
// it is cut after the last clause in its second half, or where it is full.
//
// Requires: atoms are not empty, lie in `text` and do not overlap; all arrays have one length.
std::vector<std::uint32_t> clauses(const Text& text, const Atoms& atoms, std::uint64_t target);

}  // namespace bridge

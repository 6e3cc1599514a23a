// Packs the sentences of a document into chunks.
//
// Sentences are packed until the next one would not fit. Borders of groups (pages, rows) always cut;
// the border of a section cuts unless the running chunk is still small. A short line that is no
// sentence goes with what it introduces, and a tiny last chunk of a section is evened out with the
// one before.
//
// Threads: safe to call at once from many threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bridge/chars.h"

namespace bridge {

// Sentences or pieces of them, in order, and what each takes of a chunk's room.
struct PackUnits {
  std::span<const Span> spans;
  std::span<const std::uint32_t> sizes;
};

// Section s has the units [units[s], units[s + 1]) and the characters of spans[s]. Neighbours with
// one number in `groups` may share a chunk.
struct PackSections {
  std::span<const std::uint32_t> units;
  std::span<const Span> spans;
  std::span<const std::uint32_t> groups;
};

// Chunk c starts at unit first[c] and belongs to section sections[c], the one that has most of it
// where it spans several.
struct Packed {
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> sections;
};

// Requires: units are not empty and lie in `text`; sections.units ascends from 0 to |units|.
// Cost: linear; some nanoseconds a unit.
Packed pack(const Text& text, const PackUnits& units, const PackSections& sections,
            std::uint64_t target);

}  // namespace bridge

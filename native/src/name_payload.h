// The payload of a name index: header, entries, postings, definitions, ids, borders, spans,
// stems.
//
// header        64 bytes, below
// entries       NameEntry each name that a chunk holds, ascending by key, and a last one: key 0, no
//               title, no run, and where the postings end
// postings      u32 each: the chunk, ascending within a name; kRun set where it is a run there
// definitions   Definition each name of a title, ascending by name, then document
// id borders    u32, one more than documents: document d has the id from its border up to the next
// ids           bytes of all ids, in UTF-8
// span borders  u32, one more than chunks: chunk c has the spans from its border up to the next
// stem borders  u32, the same for stems
// spans         StoredSpan each, by first word, the longer first
// stems         u32 each, by position
// positions     u16 each stem; kTitlePosition for the title's, which stand behind the others
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string_view>

#include "bridge/name_index.h"
#include "bridge/wire.h"

namespace bridge {

static_assert(sizeof(NameEntry) == 16 && sizeof(Definition) == 16 && sizeof(StoredSpan) == 8);

struct NameHeader {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t chunks;
  std::uint32_t documents;
  std::uint32_t id_bytes;  // of all documents
  std::uint64_t names;
  std::uint64_t postings;
  std::uint64_t definitions;
  std::uint64_t spans;
  std::uint64_t stems;
};
static_assert(sizeof(NameHeader) == 64);

inline constexpr std::uint64_t kNameMagic = 0x3153454D414E4742ULL;  // "BGNAMES1"
inline constexpr std::uint32_t kNameVersion = 1;

// Where each section starts, from the counts of a header; `size` is that of the whole payload.
struct NameLayout {
  std::size_t entries, postings, definitions, id_borders, ids, span_borders, stem_borders, spans,
      stems, positions, size;

  explicit NameLayout(const NameHeader& h)
      : entries(sizeof(NameHeader)),
        postings(entries + (h.names + 1) * sizeof(NameEntry)),
        definitions(postings + padded(h.postings * sizeof(std::uint32_t))),
        id_borders(definitions + h.definitions * sizeof(Definition)),
        ids(id_borders + padded((std::size_t{h.documents} + 1) * sizeof(std::uint32_t))),
        span_borders(ids + padded(h.id_bytes)),
        stem_borders(span_borders + padded((std::size_t{h.chunks} + 1) * sizeof(std::uint32_t))),
        spans(stem_borders + padded((std::size_t{h.chunks} + 1) * sizeof(std::uint32_t))),
        stems(spans + h.spans * sizeof(StoredSpan)),
        positions(stems + padded(h.stems * sizeof(Stem))),
        size(positions + padded(h.stems * sizeof(std::uint16_t))) {}
};

// How much of each there is.
struct NameCounts {
  std::size_t chunks = 0, documents = 0, id_bytes = 0, names = 0, postings = 0, definitions = 0,
              spans = 0, stems = 0;
};

// The header of a payload. Throws std::length_error where a count is too large to be numbered.
inline NameHeader header_of(const NameCounts& n) {
  for (const std::size_t count : {n.documents, n.id_bytes, n.names, n.postings, n.definitions,
                                  n.spans, n.stems, 2 * n.chunks}) {  // the top bit is kRun's
    if (count > kMostNumbered) {
      throw std::length_error(
          "an index of names would hold 2^30 names, words or letters of ids, or half as many "
          "chunks; that is the limit of a segment");
    }
  }
  return {kNameMagic,
          kNameVersion,
          static_cast<std::uint32_t>(n.chunks),
          static_cast<std::uint32_t>(n.documents),
          static_cast<std::uint32_t>(n.id_bytes),
          n.names,
          n.postings,
          n.definitions,
          n.spans,
          n.stems};
}

// A payload to be filled in: its header is written, all else is zero.
struct NameDraft {
  Image image;
  std::span<NameEntry> entries;
  std::span<std::uint32_t> postings;
  std::span<Definition> definitions;
  std::span<std::uint32_t> id_borders;
  std::span<char> ids;
  std::span<std::uint32_t> span_borders, stem_borders;
  std::span<StoredSpan> spans;
  std::span<Stem> stems;
  std::span<std::uint16_t> positions;

  // Throws std::length_error where a count is too large to be numbered.
  explicit NameDraft(const NameCounts& counts) : NameDraft(header_of(counts)) {}

  // Writes the id of a document. Requires: those before it are written.
  void write_id(std::size_t document, std::string_view id) {
    const std::uint32_t start = id_borders[document];
    std::ranges::copy(id, ids.begin() + start);
    id_borders[document + 1] = start + static_cast<std::uint32_t>(id.size());
  }

 private:
  explicit NameDraft(const NameHeader& header) : image(NameLayout(header).size) {
    const NameLayout at(header);
    const std::span<std::byte> bytes = image.bytes();
    std::memcpy(bytes.data(), &header, sizeof(header));
    const std::size_t borders = std::size_t{header.chunks} + 1;
    entries = section<NameEntry>(bytes, at.entries, header.names + 1);
    postings = section<std::uint32_t>(bytes, at.postings, header.postings);
    definitions = section<Definition>(bytes, at.definitions, header.definitions);
    id_borders = section<std::uint32_t>(bytes, at.id_borders, std::size_t{header.documents} + 1);
    ids = section<char>(bytes, at.ids, header.id_bytes);
    span_borders = section<std::uint32_t>(bytes, at.span_borders, borders);
    stem_borders = section<std::uint32_t>(bytes, at.stem_borders, borders);
    spans = section<StoredSpan>(bytes, at.spans, header.spans);
    stems = section<Stem>(bytes, at.stems, header.stems);
    positions = section<std::uint16_t>(bytes, at.positions, header.stems);
  }
};

// Throws DamagedPayload with the problem unless a payload is sound.
void expect(bool sound, const char* problem);

// Writes into each entry where its postings start, from the spans of all chunks; returns how many
// there are. Requires: spans name entries, borders ascend and end at |spans|.
std::size_t start_postings(std::span<const std::uint32_t> span_borders,
                           std::span<const StoredSpan> spans, std::span<NameEntry> entries);

// Writes the postings of all entries, which `start_postings` has placed.
void write_postings(std::span<const std::uint32_t> span_borders, std::span<const StoredSpan> spans,
                    std::span<const NameEntry> entries, std::span<std::uint32_t> postings);

// Sorts definitions, and writes into each entry where those of its name start, or kNoTitle.
void link_titles(std::span<Definition> definitions, std::span<NameEntry> entries);

// How many postings of a name are runs, 2 for more.
std::uint32_t count_runs(std::span<const std::uint32_t> postings);

// Writes into each entry, whose title is there, in how many chunks it is a run.
void count_runs(std::span<const std::uint32_t> postings, std::span<NameEntry> entries);

// Fills in what follows from the rest: postings, and where each entry's postings, titles and runs
// are. Requires: all else is there, definitions in any order.
void complete(NameDraft& draft);

}  // namespace bridge

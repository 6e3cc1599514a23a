// The names of a segment, for the walk: which chunks may hold a name, which titles define it, and
// for each chunk the spans that may be names and the stems of its words.
//
// Memory:  the payload (name_payload.h) belongs to the caller and must outlive the index, which
//          holds only spans.
// Threads: safe to call at once from many threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bridge/hash.h"
#include "bridge/name_reader.h"
#include "bridge/renumber.h"
#include "bridge/sink.h"
#include "bridge/wire.h"

namespace bridge {

inline constexpr std::uint32_t kRun = 0x80000000U;  // in a posting: it is a run there
inline constexpr std::uint32_t kNoTitle = 0x3FFFFFFFU;
inline constexpr std::size_t kMostNumbered = kNoTitle - 1;  // of all that an index numbers

// A name, one cache line for four. Names ascend by key; a last one without chunks ends the row.
struct NameEntry {
  Key key;
  std::uint32_t chunks;  // where its postings start; the next entry's says where they end
  std::uint32_t facts;   // below

  // Where its definitions start, or kNoTitle.
  std::uint32_t title() const { return facts & kNoTitle; }
  // In how many chunks it is a run of its own, 2 for more.
  std::uint32_t runs() const { return facts >> 30; }
};

// A title's name and the document that it is the title of.
struct Definition {
  Key name;
  std::uint32_t document;
  std::uint32_t zero = 0;
};

// A span in a chunk, by the place of its name among the entries.
struct StoredSpan {
  std::uint32_t name;
  std::uint16_t first;
  std::uint8_t words;
  std::uint8_t run;
};

class NameIndex {
 public:
  // Refuses (DamagedPayload) a payload of another kind, layout or size. Reads the header only; what
  // a damaged body says is checked against the borders when it is followed.
  explicit NameIndex(std::span<const std::byte> payload);

  std::size_t chunks() const { return span_borders_.size() - 1; }
  std::size_t names() const { return entries_.size() - 1; }
  std::size_t documents() const { return id_borders_.size() - 1; }

  // How many numbers it gives out for what it has most of; an index of several parts has no more
  // than they have together.
  std::size_t numbered() const;

  std::span<const NameEntry> entries() const { return entries_; }  // names() + 1

  // The place of a name, or names(). Cost: about six probes in four or five cache lines; for keys
  // that are not spread evenly, as nobody's hashes are, five more than a binary search.
  std::size_t find(Key name) const;

  // The chunks that may hold a name, ascending; kRun is set where it is a run of its own.
  std::span<const std::uint32_t> postings(std::size_t place) const;

  // The definitions of a name, by ascending document; empty where it has none.
  std::span<const Definition> definitions(Key name) const;
  std::span<const Definition> definitions() const { return definitions_; }  // all, by name

  std::span<const StoredSpan> spans(std::uint32_t chunk) const;  // as in NamesRead
  std::span<const Stem> stems(std::uint32_t chunk) const;
  std::span<const std::uint16_t> positions(std::uint32_t chunk) const;  // of stems(chunk)

  // Asks the memory for what the accessors above will read soon, each step for what the next one
  // has to look at: the borders of a chunk, its rows, the entry of a name, its rows.
  void prefetch_borders(std::uint32_t chunk) const;
  void prefetch_rows(std::uint32_t chunk) const;
  void prefetch_entry(std::size_t place) const;
  void prefetch_name(std::size_t place) const;

  // The id of a document, which settles ties; empty where there is no such document.
  std::string_view id(std::uint32_t document) const;

  // Throws DamagedPayload where the payload is not as `build_names` leaves it. Cost: linear.
  void check() const;

  // The parts of it that need no memory: names, titles and borders ascend; a chunk's rows are
  // sound. Requires: chunk < chunks().
  void check_frame() const;
  void check_chunk(std::uint32_t chunk) const;

 private:
  std::span<const NameEntry> entries_;
  std::span<const std::uint32_t> postings_;
  std::span<const Definition> definitions_;
  std::span<const std::uint32_t> id_borders_;
  std::span<const char> ids_;
  std::span<const std::uint32_t> span_borders_, stem_borders_;
  std::span<const StoredSpan> spans_;
  std::span<const Stem> stems_;
  std::span<const std::uint16_t> positions_;
};

// What a document brings; `title_names` ascend and come once. The title's stems join those of every
// chunk, behind them, at kTitlePosition.
struct NamedDocument {
  std::string id;  // in UTF-8
  std::vector<Key> title_names;
  std::vector<Stem> title_stems;
  NamesRead read;
};

// Builds the payload of documents in their order, chunks numbered through.
// Cost: linear, plus sorting the distinct names.
Image build_names(std::span<const NamedDocument* const> documents);

// The payload of all parts together, chunk c of part i under the number maps[i][c]: byte for byte
// what `build_names` makes of the documents that are kept.
// `first_chunks[i]` says where the documents of part i start, and has one number more than those.
// Documents are kept or dropped whole. Throws std::invalid_argument, DamagedPayload, and
// std::length_error where the names of all are too many for one index.
// Memory: two numbers a name and chunk, and what titles and ids take; the payload goes to the sink.
void merge_names(std::span<const NameIndex* const> parts,
                 std::span<const std::span<const std::uint32_t>> first_chunks,
                 std::span<const Renumbering> maps, Sink& sink);
Image merge_names(std::span<const NameIndex* const> parts,
                  std::span<const std::span<const std::uint32_t>> first_chunks,
                  std::span<const Renumbering> maps);

}  // namespace bridge

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "merge_keys.h"
#include "name_payload.h"
#include "section_writer.h"

namespace bridge {
namespace {

// A document that is kept: its chunks in its part, and the first of its new ones.
struct Kept {
  std::size_t part;
  std::uint32_t document, first, last, chunk;
};

[[noreturn]] void refuse(std::size_t part, const char* problem) {
  throw std::invalid_argument("part " + std::to_string(part) + ": " + problem);
}

void expect_rows(std::size_t part, const NameIndex& index, std::span<const std::uint32_t> first,
                 Renumbering map) {
  if (map.size() != index.chunks()) {
    refuse(part, "its map must have a number for each of its chunks");
  }
  const bool rising =
      std::adjacent_find(first.begin(), first.end(), std::greater_equal<>()) == first.end();
  if (first.size() != index.documents() + 1 || first.front() != 0 ||
      first.back() != index.chunks() || !rising) {
    refuse(part, "its documents must share out its chunks, each with one or more");
  }
}

// The documents that the maps keep, in their new order.
std::vector<Kept> kept_documents(std::span<const NameIndex* const> parts,
                                 std::span<const std::span<const std::uint32_t>> first_chunks,
                                 std::span<const Renumbering> maps) {
  std::vector<Kept> kept;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    const std::span<const std::uint32_t> firsts = first_chunks[part];
    const Renumbering map = maps[part];
    expect_rows(part, *parts[part], firsts, map);
    for (std::uint32_t document = 0; document + std::size_t{1} < firsts.size(); ++document) {
      const std::uint32_t first = firsts[document], last = firsts[document + 1];
      const std::uint32_t chunk = map[first];
      for (std::uint32_t c = first; c < last; ++c) {
        if (map[c] != (chunk == kDropped ? kDropped : chunk + (c - first))) {
          refuse(part, "its map must keep or drop a document whole, its chunks in a row");
        }
      }
      if (chunk != kDropped) {
        kept.push_back({part, document, first, last, chunk});
      }
    }
  }
  std::sort(kept.begin(), kept.end(),
            [](const Kept& a, const Kept& b) { return a.chunk < b.chunk; });
  return kept;
}

// Which names are kept: where those of each part stand among them, and how much of all there is.
struct Names {
  std::vector<std::vector<std::uint32_t>> places;
  std::size_t count = 0, postings = 0;
};

// What a posting adds to a sum over all of them, which does not depend on their order.
std::uint64_t trace(std::uint32_t name, std::uint32_t posting) {
  return mix(std::uint64_t{name} << 32 | posting);
}

// Merges the names of some parts; each pass goes through their entries and postings in order.
class Merge {
 public:
  Merge(std::span<const NameIndex* const> parts, std::span<const Renumbering> maps, Pace& pace)
      : parts_(parts), maps_(maps), pace_(pace) {
    for (const NameIndex* part : parts) {
      part->check_frame();
      pace.rest();
      entries_.push_back(part->entries().first(part->names()));
    }
  }

  // Calls `visit(key, places, postings)` for each name that is still somewhere, ascending; its
  // postings have the new numbers, and stand in the order of the parts.
  template <typename Visit>
  void for_each_name(Visit visit) const {
    std::vector<std::uint32_t> kept;
    const auto key_of = [](const NameEntry& entry) { return entry.key; };
    merge_keys<NameEntry>(entries_, key_of, [&](Key key, std::span<const KeyPlace> places) {
      kept.clear();
      for (const auto [part, at] : places) {
        const auto postings = parts_[part]->postings(at);
        expect(entries_[part][at].runs() == count_runs(postings), "a name is a run elsewhere");
        for (const std::uint32_t posting : postings) {
          const std::uint32_t chunk = posting & ~kRun;
          expect(chunk < maps_[part].size(), "a name stands in a chunk that is not there");
          if (maps_[part][chunk] != kDropped) {
            kept.push_back(maps_[part][chunk] | (posting & kRun));
          }
        }
        pace_.read(sizeof(NameEntry) + postings.size_bytes());
      }
      if (!kept.empty()) {
        visit(key, places, std::span(kept));
      }
    });
  }

  Names names() const {
    Names names;
    for (const auto& entries : entries_) {
      names.places.emplace_back(entries.size(), kDropped);
    }
    for_each_name([&](Key, std::span<const KeyPlace> places, std::span<std::uint32_t> postings) {
      for (const auto [part, at] : places) {
        names.places[part][at] = static_cast<std::uint32_t>(names.count);
      }
      ++names.count;
      names.postings += postings.size();
    });
    return names;
  }

 private:
  std::span<const NameIndex* const> parts_;
  std::span<const Renumbering> maps_;
  Pace& pace_;
  std::vector<std::span<const NameEntry>> entries_;
};

// The titles' names of the documents that are kept, under their new numbers, in order.
std::vector<Definition> kept_definitions(std::span<const NameIndex* const> parts,
                                         const std::vector<Kept>& documents) {
  std::vector<std::vector<std::uint32_t>> numbers;  // the new ones of each part's documents
  for (const NameIndex* part : parts) {
    numbers.emplace_back(part->documents(), kDropped);
  }
  for (std::uint32_t number = 0; number < documents.size(); ++number) {
    numbers[documents[number].part][documents[number].document] = number;
  }
  std::vector<Definition> kept;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    for (Definition here : parts[part]->definitions()) {
      here.document = numbers[part][here.document];
      if (here.document != kDropped) {
        kept.push_back(here);
      }
    }
  }
  std::ranges::sort(kept, {}, [](const Definition& d) { return std::pair(d.name, d.document); });
  return kept;
}

NameCounts count(std::span<const NameIndex* const> parts, const std::vector<Kept>& documents,
                 const std::vector<Definition>& definitions, const Names& names) {
  NameCounts counts;
  counts.documents = documents.size();
  counts.names = names.count;
  counts.postings = names.postings;
  counts.definitions = definitions.size();
  for (const Kept& kept : documents) {
    counts.chunks += kept.last - kept.first;
    counts.id_bytes += parts[kept.part]->id(kept.document).size();
    for (std::uint32_t chunk = kept.first; chunk < kept.last; ++chunk) {
      counts.spans += parts[kept.part]->spans(chunk).size();
      counts.stems += parts[kept.part]->stems(chunk).size();
    }
  }
  return counts;
}

// Writes entries and postings; returns the trace of the postings.
std::uint64_t write_names(const Merge& merge, const std::vector<Definition>& definitions,
                          const NameHeader& header, const NameLayout& at, Sink& sink) {
  SectionWriter<NameEntry> entries(sink, at.entries, header.names + 1);
  SectionWriter<std::uint32_t> rows(sink, at.postings, header.postings);
  const auto number = [](const auto& row) { return row & ~kRun; };
  std::size_t definition = 0;
  std::uint32_t name = 0, end = 0;
  std::uint64_t traced = 0;
  merge.for_each_name([&](Key key, std::span<const KeyPlace>, std::span<std::uint32_t> postings) {
    if (!std::ranges::is_sorted(postings, {}, number)) {
      std::ranges::sort(postings, {}, number);
    }
    for (const std::uint32_t posting : postings) {
      traced += trace(name, posting);
    }
    while (definition < definitions.size() && definitions[definition].name < key) {
      ++definition;
    }
    const bool defined = definition < definitions.size() && definitions[definition].name == key;
    const auto title = defined ? static_cast<std::uint32_t>(definition) : kNoTitle;
    entries.push({key, end, title | count_runs(postings) << 30});
    rows.append(postings);
    end += static_cast<std::uint32_t>(postings.size());
    ++name;
  });
  entries.push({0, end, kNoTitle});
  entries.finish();
  rows.finish();
  return traced;
}

// Writes the rows of all chunks; returns the trace of the postings that follow from them.
std::uint64_t write_chunks(std::span<const NameIndex* const> parts,
                           const std::vector<Kept>& documents, const Names& names,
                           const NameHeader& header, const NameLayout& at, Sink& sink, Pace& pace) {
  SectionWriter<std::uint32_t> span_borders(sink, at.span_borders, header.chunks + std::size_t{1}),
      stem_borders(sink, at.stem_borders, header.chunks + std::size_t{1});
  SectionWriter<StoredSpan> spans(sink, at.spans, header.spans);
  SectionWriter<Stem> stems(sink, at.stems, header.stems);
  SectionWriter<std::uint16_t> positions(sink, at.positions, header.stems);
  std::vector<std::uint32_t> latest(names.count, kRun - 1);  // of each name, its last posting
  std::uint64_t traced = 0;
  std::uint32_t span = 0, stem = 0, number = 0;
  span_borders.push(0);
  stem_borders.push(0);
  for (const Kept& kept : documents) {
    const NameIndex& part = *parts[kept.part];
    for (std::uint32_t chunk = kept.first; chunk < kept.last; ++chunk, ++number) {
      part.check_chunk(chunk);
      for (StoredSpan here : part.spans(chunk)) {
        here.name = names.places[kept.part][here.name];
        expect(here.name != kDropped, "a span has a name that stands nowhere");
        std::uint32_t& last = latest[here.name];
        if ((last & ~kRun) != number) {
          traced += trace(here.name, last = number);
        }
        if (here.run != 0 && last < kRun) {
          traced -= trace(here.name, last);
          traced += trace(here.name, last |= kRun);
        }
        spans.push(here);
      }
      stems.append(part.stems(chunk));
      positions.append(part.positions(chunk));
      span_borders.push(span += static_cast<std::uint32_t>(part.spans(chunk).size()));
      stem_borders.push(stem += static_cast<std::uint32_t>(part.stems(chunk).size()));
      pace.read(part.spans(chunk).size_bytes() + part.stems(chunk).size_bytes() * 3 / 2);
    }
  }
  span_borders.finish();
  stem_borders.finish();
  spans.finish();
  stems.finish();
  positions.finish();
  return traced;
}

void write_ids(std::span<const NameIndex* const> parts, const std::vector<Kept>& documents,
               const NameHeader& header, const NameLayout& at, Sink& sink) {
  SectionWriter<std::uint32_t> borders(sink, at.id_borders, documents.size() + 1);
  SectionWriter<char> ids(sink, at.ids, header.id_bytes);
  std::uint32_t end = 0;
  borders.push(end);
  for (const Kept& kept : documents) {
    const std::string_view id = parts[kept.part]->id(kept.document);
    ids.append(id);
    borders.push(end += static_cast<std::uint32_t>(id.size()));
  }
  borders.finish();
  ids.finish();
}

}  // namespace

void merge_names(std::span<const NameIndex* const> parts,
                 std::span<const std::span<const std::uint32_t>> first_chunks,
                 std::span<const Renumbering> maps, Sink& sink) {
  count_kept(maps);
  const std::vector<Kept> documents = kept_documents(parts, first_chunks, maps);
  Pace pace(sink);
  const Merge merge(parts, maps, pace);
  const Names names = merge.names();
  const std::vector<Definition> definitions = kept_definitions(parts, documents);

  const NameHeader header = header_of(count(parts, documents, definitions, names));
  const NameLayout at(header);
  sink.start(at.size);
  sink.write(0, std::as_bytes(std::span(&header, 1)));
  sink.write(at.definitions, std::as_bytes(std::span(definitions)));
  write_ids(parts, documents, header, at, sink);
  const std::uint64_t said = write_names(merge, definitions, header, at, sink);
  const std::uint64_t held = write_chunks(parts, documents, names, header, at, sink, pace);
  expect(said == held, "its postings are not those of its spans");
}

Image merge_names(std::span<const NameIndex* const> parts,
                  std::span<const std::span<const std::uint32_t>> first_chunks,
                  std::span<const Renumbering> maps) {
  ImageSink sink;
  merge_names(parts, first_chunks, maps, sink);
  return sink.take();
}

}  // namespace bridge

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "merge_keys.h"
#include "name_payload.h"

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

// The names that are kept, and where those of each part stand among them.
struct Names {
  std::vector<Key> keys;
  std::vector<std::vector<std::uint32_t>> places;
  std::size_t postings = 0;
};

Names kept_names(std::span<const NameIndex* const> parts, std::span<const Renumbering> maps) {
  Names names;
  std::vector<std::span<const NameEntry>> entries;
  for (const NameIndex* part : parts) {
    entries.push_back(part->entries().first(part->names()));
    names.places.emplace_back(part->names(), kDropped);
  }
  const auto key_of = [](const NameEntry& entry) { return entry.key; };
  merge_keys<NameEntry>(entries, key_of, [&](Key key, std::span<const KeyPlace> places) {
    const std::size_t before = names.postings;
    for (const auto [part, at] : places) {
      for (const std::uint32_t posting : parts[part]->postings(at)) {
        names.postings += maps[part][posting & ~kRun] != kDropped;
      }
      names.places[part][at] = static_cast<std::uint32_t>(names.keys.size());
    }
    if (names.postings > before) {
      names.keys.push_back(key);
    }
  });
  return names;
}

NameCounts count(std::span<const NameIndex* const> parts, const std::vector<Kept>& documents,
                 const std::vector<std::vector<std::uint32_t>>& numbers, const Names& names) {
  NameCounts counts;
  counts.documents = documents.size();
  counts.names = names.keys.size();
  counts.postings = names.postings;
  for (const Kept& kept : documents) {
    counts.chunks += kept.last - kept.first;
    counts.id_bytes += parts[kept.part]->id(kept.document).size();
    for (std::uint32_t chunk = kept.first; chunk < kept.last; ++chunk) {
      counts.spans += parts[kept.part]->spans(chunk).size();
      counts.stems += parts[kept.part]->stems(chunk).size();
    }
  }
  for (std::size_t part = 0; part < parts.size(); ++part) {
    for (const Definition& here : parts[part]->definitions()) {
      counts.definitions += numbers[part][here.document] != kDropped;
    }
  }
  return counts;
}

void write_chunks(std::span<const NameIndex* const> parts, const std::vector<Kept>& documents,
                  const Names& names, NameDraft& draft) {
  std::uint32_t span = 0, stem = 0;
  for (const Kept& kept : documents) {
    const NameIndex& part = *parts[kept.part];
    for (std::uint32_t chunk = kept.first; chunk < kept.last; ++chunk) {
      for (StoredSpan here : part.spans(chunk)) {
        here.name = names.places[kept.part][here.name];
        draft.spans[span++] = here;
      }
      const auto stems = part.stems(chunk);
      std::ranges::copy(stems, draft.stems.begin() + stem);
      std::ranges::copy(part.positions(chunk), draft.positions.begin() + stem);
      stem += static_cast<std::uint32_t>(stems.size());
      const std::size_t next = std::size_t{kept.chunk} + (chunk - kept.first) + 1;
      draft.span_borders[next] = span;
      draft.stem_borders[next] = stem;
    }
  }
}

}  // namespace

Image merge_names(std::span<const NameIndex* const> parts,
                  std::span<const std::span<const std::uint32_t>> first_chunks,
                  std::span<const Renumbering> maps) {
  count_kept(maps);
  const std::vector<Kept> documents = kept_documents(parts, first_chunks, maps);
  std::vector<std::vector<std::uint32_t>> numbers;  // the new ones of each part's documents
  for (const NameIndex* part : parts) {
    part->check();
    numbers.emplace_back(part->documents(), kDropped);
  }
  for (std::uint32_t number = 0; number < documents.size(); ++number) {
    numbers[documents[number].part][documents[number].document] = number;
  }
  const Names names = kept_names(parts, maps);

  NameDraft draft(count(parts, documents, numbers, names));
  for (std::size_t name = 0; name < names.keys.size(); ++name) {
    draft.entries[name].key = names.keys[name];
  }
  write_chunks(parts, documents, names, draft);
  std::size_t d = 0;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    for (Definition here : parts[part]->definitions()) {
      here.document = numbers[part][here.document];
      if (here.document != kDropped) {
        draft.definitions[d++] = here;
      }
    }
  }
  for (std::size_t number = 0; number < documents.size(); ++number) {
    const Kept& kept = documents[number];
    draft.write_id(number, parts[kept.part]->id(kept.document));
  }
  complete(draft);
  return std::move(draft.image);
}

}  // namespace bridge

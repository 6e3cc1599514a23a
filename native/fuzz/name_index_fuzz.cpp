// Opens any bytes as an index of names, asks it everything, walks over it and merges it.
#include <algorithm>
#include <numeric>

#include "bridge/name_index.h"
#include "bridge/walk.h"
#include "fuzz.h"

using namespace bridge;

namespace {

constexpr std::uint32_t kMost = 64;  // chunks or documents, looked at in one run

// Reads every row, so that the address sanitizer sees one outside.
template <typename Row, typename Number>
std::uint64_t total(std::span<const Row> rows, Number number) {
  return std::accumulate(rows.begin(), rows.end(), std::uint64_t{0},
                         [&](std::uint64_t sum, const Row& row) { return sum + number(row); });
}

std::uint64_t read(const NameIndex& index, std::span<const Key> names) {
  std::uint64_t sum = 0;
  for (const Key name : names) {
    const std::size_t place = index.find(name);
    if (place > index.names() || (place < index.names() && index.entries()[place].key != name)) {
      __builtin_trap();
    }
    sum += total(index.postings(place), [](std::uint32_t posting) { return posting; });
    sum += total(index.definitions(name), [](const Definition& here) { return here.document; });
  }
  const auto chunks = static_cast<std::uint32_t>(index.chunks());
  for (std::uint32_t chunk = 0; chunk <= std::min(chunks, kMost); ++chunk) {
    if (index.stems(chunk).size() != index.positions(chunk).size()) {
      __builtin_trap();
    }
    sum += total(index.spans(chunk), [](const StoredSpan& span) { return span.name; });
    sum += total(index.stems(chunk), [](Stem stem) { return stem; });
    sum += total(index.positions(chunk), [](std::uint16_t position) { return position; });
  }
  const auto documents = static_cast<std::uint32_t>(index.documents());
  for (std::uint32_t document = 0; document <= std::min(documents, kMost); ++document) {
    const std::string_view id = index.id(document);
    sum += total(std::span(id), [](char letter) { return static_cast<unsigned char>(letter); });
  }
  return sum;
}

// A first chunk for each document, and the end; the last document has what is left. Empty where
// there are not chunks enough.
std::vector<std::uint32_t> first_chunks(const NameIndex& index) {
  const std::size_t documents = index.documents(), chunks = index.chunks();
  if (documents == 0 || chunks < documents) {
    return {};
  }
  std::vector<std::uint32_t> firsts(documents + 1);
  std::iota(firsts.begin(), firsts.end(), 0U);
  firsts.back() = static_cast<std::uint32_t>(chunks);
  return firsts;
}

// Some of the payload's own numbers, each once.
template <typename T>
std::vector<T> distinct(std::span<const std::byte> payload) {
  std::vector<T> found = fuzz::numbers<T>(payload, 64);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

// Walks over the index, or over two of it, from what stands in the payload.
void walk(const NameIndex& index, std::span<const std::byte> payload) {
  const std::vector<std::uint32_t> firsts = first_chunks(index);
  if (firsts.empty()) {
    return;
  }
  const auto seed = static_cast<unsigned>(payload.back());
  std::vector<std::uint8_t> alive(index.chunks());
  for (std::size_t chunk = 0; chunk < alive.size(); ++chunk) {
    alive[chunk] = static_cast<std::uint8_t>(payload[chunk % payload.size()]) % 4 != 0;
  }
  std::vector<WalkSegment> segments{{&index, firsts, seed & 1 ? Alive(alive) : Alive{}}};
  if (seed & 2) {
    segments.push_back({&index, firsts, {}});
  }
  WalkOptions options;
  options.width = seed & 4 ? 2 : 100;
  options.frontier = seed & 8 ? 3 : 160;
  const WalkGraph graph(segments, options);

  const std::vector<Stem> stems = distinct<Stem>(payload);
  const std::vector<Key> names = distinct<Key>(payload);
  std::vector<std::uint32_t> chunks(std::min<std::size_t>(graph.chunks(), kMost));
  std::iota(chunks.begin(), chunks.end(), 0U);
  const std::vector<double> asks(stems.size(), 1.0 / static_cast<double>(stems.size())),
      name_weights(names.size(), 0.5 / static_cast<double>(names.size())),
      chunk_weights(chunks.size(), 0.5 / static_cast<double>(chunks.size()));
  Push push(graph, {stems, asks}, {chunks, chunk_weights, names, name_weights});
  push.leads(6, 8);
  const std::vector<std::uint32_t> pool = push.chunks(kMost);
  for (const std::uint32_t chunk : pool) {
    const auto way = push.way(chunk);
    if (chunk >= graph.chunks() || way.empty() || way.back().place.chunk != chunk) {
      __builtin_trap();
    }
  }
  const std::vector<double> values(pool.size(), 0.25);
  const Chosen chosen = push.choose({pool, values}, {stems, asks}, 1.0, 8);
  if (chosen.places.size() != std::min<std::size_t>(8, pool.size()) ||
      copies_last(graph, chunks, pool, 0.4, kMost).size() != pool.size()) {
    __builtin_trap();
  }
}

// Merges an index that is sound with itself, every third document left out.
void merge(const NameIndex& index) {
  const std::vector<std::uint32_t> firsts = first_chunks(index);
  if (firsts.empty()) {
    return;
  }
  const std::size_t documents = index.documents(), chunks = index.chunks();
  std::uint32_t next = 0;
  std::vector<std::vector<std::uint32_t>> maps(2, std::vector<std::uint32_t>(chunks, kDropped));
  for (std::vector<std::uint32_t>& map : maps) {
    for (std::size_t document = 0; document < documents; ++document) {
      for (std::uint32_t c = firsts[document]; document % 3 != 2 && c < firsts[document + 1]; ++c) {
        map[c] = next++;
      }
    }
  }
  const NameIndex* parts[] = {&index, &index};
  const std::span<const std::uint32_t> starts[] = {firsts, firsts};
  const Renumbering renumberings[] = {maps[0], maps[1]};
  const Image merged = merge_names(parts, starts, renumberings);
  NameIndex(merged.bytes()).check();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::byte> payload = fuzz::copy(data, size);
  try {
    const NameIndex index(payload);
    const volatile std::uint64_t seen = read(index, fuzz::numbers<Key>(payload, 64));
    (void)seen;
    walk(index, payload);
    index.check();
    merge(index);
  } catch (const DamagedPayload&) {
  }
  return 0;
}

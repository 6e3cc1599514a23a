// Opens any bytes as an index of names, asks it everything and merges it.
#include <numeric>

#include "bridge/name_index.h"
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

// Merges an index that is sound with itself, every third document left out.
void merge(const NameIndex& index) {
  const std::size_t documents = index.documents(), chunks = index.chunks();
  if (documents == 0 || chunks < documents) {
    return;
  }
  std::vector<std::uint32_t> firsts(documents + 1);
  std::iota(firsts.begin(), firsts.end(), 0U);
  firsts.back() = static_cast<std::uint32_t>(chunks);  // the last document has what is left
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
    index.check();
    merge(index);
  } catch (const DamagedPayload&) {
  }
  return 0;
}

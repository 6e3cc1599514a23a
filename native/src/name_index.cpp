#include "bridge/name_index.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "name_payload.h"

namespace bridge {
namespace {

constexpr int kGuesses = 3;
constexpr std::size_t kNear = 4;  // rows; a cache line of entries

// How far a key lies on the way from one to another, 0 to 1.
double share(Key key, Key low, Key high) {
  if (key <= low) {
    return 0;
  }
  return key >= high ? 1 : static_cast<double>(key - low) / static_cast<double>(high - low);
}

// Where the first row stands whose key is not below `key`, as std::lower_bound finds it. Keys that
// are spread evenly tell where they stand: after a few guesses it is a few rows away. Cost: however
// the keys are spread, at most five probes more than a binary search. The answer is in [0, |rows|]
// even where they do not ascend.
template <typename Row, typename KeyOf>
std::size_t first_not_below(std::span<const Row> rows, Key key, KeyOf key_of) {
  std::size_t first = 0, last = rows.size();  // the answer is in [first, last]
  Key low = 0, high = ~Key{0};                // keys at these borders
  bool up = true;                             // the answer is near `first`
  const auto probe = [&](std::size_t at) {
    const Key found = key_of(rows[at]);
    up = found < key;
    (up ? first : last) = up ? at + 1 : at;
    (up ? low : high) = found;
  };
  for (int i = 0; i < kGuesses && last - first > kNear; ++i) {
    const double steps = share(key, low, high) * static_cast<double>(last - first);
    probe(std::min(first + static_cast<std::size_t>(steps), last - 1));
  }
  const bool on = up;
  for (std::size_t step : {kNear, 8 * kNear}) {
    if (up == on && last - first > step) {
      probe(on ? first + step - 1 : last - step);
    }
  }
  const auto begin = rows.begin();
  return static_cast<std::size_t>(
      std::lower_bound(begin + static_cast<std::ptrdiff_t>(first),
                       begin + static_cast<std::ptrdiff_t>(last), key,
                       [&](const Row& row, Key wanted) { return key_of(row) < wanted; }) -
      begin);
}

// The rows between two borders, as far as they are there.
template <typename T>
std::span<const T> between(std::span<const T> rows, std::size_t first, std::size_t last) {
  last = std::min(last, rows.size());
  first = std::min(first, last);
  return rows.subspan(first, last - first);
}

template <typename T>
std::span<const T> row_of(std::span<const T> rows, std::span<const std::uint32_t> borders,
                          std::uint32_t owner) {
  if (owner >= borders.size() - 1) {
    return {};
  }
  return between(rows, borders[owner], borders[owner + std::size_t{1}]);
}

void expect_borders(std::span<const std::uint32_t> borders, std::size_t end, const char* problem) {
  expect(borders.front() == 0 && borders.back() == end &&
             std::is_sorted(borders.begin(), borders.end()),
         problem);
}

void check_spans(std::span<const StoredSpan> spans, std::size_t names) {
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const StoredSpan& span = spans[i];
    expect(span.name < names, "a span has a name that is not there");
    expect(span.words >= 1 && span.words <= 8 && span.run <= 1 && span.first <= kMostPosition,
           "a span is none");
    expect(i == 0 || spans[i - 1].first < span.first ||
               (spans[i - 1].first == span.first && spans[i - 1].words > span.words),
           "the spans of a chunk are not in order");
  }
}

void check_positions(std::span<const std::uint16_t> positions) {
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const bool of_title = positions[i] == kTitlePosition;
    expect(of_title || positions[i] <= kMostPosition, "a word stands nowhere");
    expect(i == 0 || positions[i - 1] < positions[i] || of_title,
           "the words of a chunk are not in order");
  }
}

void check_definitions(std::span<const Definition> definitions, std::size_t documents) {
  for (std::size_t i = 0; i < definitions.size(); ++i) {
    const Definition& here = definitions[i];
    expect(here.document < documents && here.zero == 0, "a title is of no document");
    expect(
        i == 0 || definitions[i - 1].name < here.name ||
            (definitions[i - 1].name == here.name && definitions[i - 1].document < here.document),
        "its titles do not ascend");
  }
}

void check_titles(std::span<const Definition> definitions, std::span<const NameEntry> entries) {
  std::size_t d = 0;
  for (const NameEntry& entry : entries.first(entries.size() - 1)) {
    while (d < definitions.size() && definitions[d].name < entry.key) {
      ++d;
    }
    const bool defined = d < definitions.size() && definitions[d].name == entry.key;
    expect(entry.title() == (defined ? d : kNoTitle), "a name does not lead to its titles");
  }
}

}  // namespace

void expect(bool sound, const char* problem) {
  if (!sound) {
    throw DamagedPayload(std::string("name index: ") + problem);
  }
}

NameIndex::NameIndex(std::span<const std::byte> payload) {
  const auto header = read_header<NameHeader>(payload, "name index", kNameMagic, kNameVersion);
  // No count can be larger than the payload; checked first, so that no sum overflows.
  for (const std::uint64_t count :
       {header.names, header.postings, header.definitions, header.spans, header.stems}) {
    if (count > payload.size()) {
      throw DamagedPayload("name index payload is too small for the counts in its header");
    }
  }
  const NameLayout at(header);
  expect_size(payload, "name index", at.size);
  const std::size_t borders = std::size_t{header.chunks} + 1;
  entries_ = section<NameEntry>(payload, at.entries, header.names + 1);
  postings_ = section<std::uint32_t>(payload, at.postings, header.postings);
  definitions_ = section<Definition>(payload, at.definitions, header.definitions);
  id_borders_ = section<std::uint32_t>(payload, at.id_borders, std::size_t{header.documents} + 1);
  ids_ = section<char>(payload, at.ids, header.id_bytes);
  span_borders_ = section<std::uint32_t>(payload, at.span_borders, borders);
  stem_borders_ = section<std::uint32_t>(payload, at.stem_borders, borders);
  spans_ = section<StoredSpan>(payload, at.spans, header.spans);
  stems_ = section<Stem>(payload, at.stems, header.stems);
  positions_ = section<std::uint16_t>(payload, at.positions, header.stems);
}

std::size_t NameIndex::numbered() const {
  return std::max({documents(), ids_.size(), names(), postings_.size(), definitions_.size(),
                   spans_.size(), stems_.size(), 2 * chunks()});
}

std::size_t NameIndex::find(Key name) const {
  const auto named = entries_.first(names());
  const std::size_t at =
      first_not_below(named, name, [](const NameEntry& entry) { return entry.key; });
  return at < named.size() && named[at].key == name ? at : named.size();
}

std::span<const std::uint32_t> NameIndex::postings(std::size_t place) const {
  if (place >= names()) {
    return {};
  }
  return between(postings_, entries_[place].chunks, entries_[place + 1].chunks);
}

std::span<const Definition> NameIndex::definitions(Key name) const {
  const auto rest = definitions_.subspan(
      first_not_below(definitions_, name, [](const Definition& here) { return here.name; }));
  const auto end =
      std::upper_bound(rest.begin(), rest.end(), name,
                       [](Key wanted, const Definition& here) { return wanted < here.name; });
  return rest.first(static_cast<std::size_t>(end - rest.begin()));
}

std::span<const StoredSpan> NameIndex::spans(std::uint32_t chunk) const {
  return row_of(spans_, span_borders_, chunk);
}

std::span<const Stem> NameIndex::stems(std::uint32_t chunk) const {
  return row_of(stems_, stem_borders_, chunk);
}

std::span<const std::uint16_t> NameIndex::positions(std::uint32_t chunk) const {
  return row_of(positions_, stem_borders_, chunk);
}

std::string_view NameIndex::id(std::uint32_t document) const {
  const auto letters = row_of(ids_, id_borders_, document);
  return {letters.data(), letters.size()};
}

void NameIndex::check_frame() const {
  for (std::size_t i = 1; i < names(); ++i) {
    expect(entries_[i - 1].key < entries_[i].key, "its names do not ascend");
  }
  const NameEntry& end = entries_.back();
  expect(end.key == 0 && end.chunks == postings_.size() && end.facts == kNoTitle,
         "its names do not end");
  check_definitions(definitions_, documents());
  check_titles(definitions_, entries_);
  expect_borders(id_borders_, ids_.size(), "its documents do not share out its ids");
  expect_borders(span_borders_, spans_.size(), "its chunks do not share out its spans");
  expect_borders(stem_borders_, stems_.size(), "its chunks do not share out its words");
}

void NameIndex::check_chunk(std::uint32_t chunk) const {
  check_spans(spans(chunk), names());
  check_positions(positions(chunk));
}

void NameIndex::check() const {
  check_frame();
  for (std::uint32_t chunk = 0; chunk < chunks(); ++chunk) {
    check_chunk(chunk);
  }
  std::vector<NameEntry> entries(entries_.begin(), entries_.end());
  expect(start_postings(span_borders_, spans_, entries) == postings_.size(),
         "its spans are not those of its postings");
  for (std::size_t i = 0; i < entries.size(); ++i) {
    expect(entries[i].chunks == entries_[i].chunks, "a name has not the postings of its spans");
    expect(i + 1 == entries.size() || entries[i].chunks < entries[i + 1].chunks,
           "no chunk holds a name");
  }
  std::vector<std::uint32_t> postings(postings_.size());
  write_postings(span_borders_, spans_, entries, postings);
  expect(std::ranges::equal(postings, postings_), "its postings are not those of its spans");
  for (NameEntry& entry : entries) {
    entry.facts = entry.title();
  }
  count_runs(postings, entries);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    expect(entries[i].facts == entries_[i].facts, "a name is a run elsewhere than it says");
  }
}

// ---- prefetching

namespace {

#if defined(__GNUC__) || defined(__clang__)
inline void fetch(const void* address) { __builtin_prefetch(address); }
#else
inline void fetch(const void*) {}
#endif

// Asks for the cache lines of a row, up to a few.
template <typename T>
void fetch_row(std::span<const T> row) {
  constexpr std::size_t kLine = 64 / sizeof(T), kMost = 6;
  for (std::size_t i = 0; i < std::min(row.size(), kMost * kLine); i += kLine) {
    fetch(&row[i]);
  }
}

}  // namespace

void NameIndex::prefetch_borders(std::uint32_t chunk) const {
  if (chunk < chunks()) {
    fetch(&span_borders_[chunk]);
    fetch(&stem_borders_[chunk]);
  }
}

void NameIndex::prefetch_rows(std::uint32_t chunk) const {
  fetch_row(spans(chunk));
  fetch_row(stems(chunk));
  fetch_row(positions(chunk));
}

void NameIndex::prefetch_entry(std::size_t place) const {
  if (place < names()) {
    fetch(&entries_[place]);
  }
}

void NameIndex::prefetch_name(std::size_t place) const {
  if (place >= names()) {
    return;
  }
  const NameEntry& entry = entries_[place];
  if (entry.chunks < postings_.size()) {
    fetch(&postings_[entry.chunks]);
  }
  if (entry.title() < definitions_.size()) {
    fetch(&definitions_[entry.title()]);
  }
}

}  // namespace bridge

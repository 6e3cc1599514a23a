#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "key_numbers.h"
#include "name_payload.h"

namespace bridge {
namespace {

constexpr std::uint32_t kNowhere = 0xFFFFFFFFU;

// Writes one document behind what is there, its names by their ranks.
class Writer {
 public:
  explicit Writer(NameDraft& draft) : draft_(draft) {}

  template <typename Rank>
  void write(const NamedDocument& document, Rank rank) {
    const NamesRead& read = document.read;
    for (std::size_t c = 0; c + 1 < read.span_borders.size(); ++c) {
      for (std::size_t i = read.span_borders[c]; i < read.span_borders[c + 1]; ++i) {
        const NameSpan& span = read.spans[i];
        draft_.spans[spans_++] = {rank(span.name), span.first, span.words, span.run};
      }
      for (std::size_t i = read.stem_borders[c]; i < read.stem_borders[c + 1]; ++i) {
        write_stem(read.stems[i].stem, read.stems[i].position);
      }
      for (const Stem stem : document.title_stems) {
        write_stem(stem, kTitlePosition);
      }
      ++chunks_;
      draft_.span_borders[chunks_] = static_cast<std::uint32_t>(spans_);
      draft_.stem_borders[chunks_] = static_cast<std::uint32_t>(stems_);
    }
    for (const Key name : document.title_names) {
      draft_.definitions[definitions_++] = {name, static_cast<std::uint32_t>(documents_)};
    }
    draft_.write_id(documents_++, document.id);
  }

 private:
  void write_stem(Stem stem, std::uint16_t position) {
    draft_.stems[stems_] = stem;
    draft_.positions[stems_++] = position;
  }

  NameDraft& draft_;
  std::size_t chunks_ = 0, documents_ = 0, spans_ = 0, stems_ = 0, definitions_ = 0;
};

// The distinct names, numbered as they come, the number of each span's, and how much of all there
// is.
struct Numbered {
  KeyNumbers number;
  std::vector<std::uint32_t> spans;
  NameCounts counts;
};

Numbered number_names(std::span<const NamedDocument* const> documents) {
  Numbered all;
  std::vector<std::size_t> latest;  // of each name, one more than the last chunk that holds it
  for (const NamedDocument* document : documents) {
    const NamesRead& read = document->read;
    for (std::size_t c = 0; c + 1 < read.span_borders.size(); ++c) {
      ++all.counts.chunks;
      for (std::size_t i = read.span_borders[c]; i < read.span_borders[c + 1]; ++i) {
        const std::uint32_t name = all.number(read.spans[i].name);
        if (name == latest.size()) {
          latest.push_back(0);
        }
        all.counts.postings += latest[name] != all.counts.chunks;
        latest[name] = all.counts.chunks;
        all.spans.push_back(name);
      }
    }
    const std::size_t chunks = read.span_borders.size() - 1;
    all.counts.stems += read.stems.size() + chunks * document->title_stems.size();
    all.counts.definitions += document->title_names.size();
    all.counts.id_bytes += document->id.size();
  }
  all.counts.documents = documents.size();
  all.counts.names = all.number.keys().size();
  all.counts.spans = all.spans.size();
  return all;
}

}  // namespace

std::size_t start_postings(std::span<const std::uint32_t> span_borders,
                           std::span<const StoredSpan> spans, std::span<NameEntry> entries) {
  for (NameEntry& entry : entries) {
    entry.chunks = 0;
  }
  std::vector<std::uint32_t> latest(entries.size(), kNowhere);
  for (std::uint32_t chunk = 0; chunk + 1 < span_borders.size(); ++chunk) {
    for (std::size_t i = span_borders[chunk]; i < span_borders[chunk + 1]; ++i) {
      const std::uint32_t name = spans[i].name;
      entries[name].chunks += latest[name] != chunk;
      latest[name] = chunk;
    }
  }
  std::size_t end = 0;
  for (NameEntry& entry : entries) {
    const std::size_t count = entry.chunks;
    entry.chunks = static_cast<std::uint32_t>(end);
    end += count;
  }
  return end;
}

void write_postings(std::span<const std::uint32_t> span_borders, std::span<const StoredSpan> spans,
                    std::span<const NameEntry> entries, std::span<std::uint32_t> postings) {
  std::vector<std::uint32_t> next(entries.size());  // where the next posting of a name goes
  for (std::size_t name = 0; name < entries.size(); ++name) {
    next[name] = entries[name].chunks;
  }
  for (std::uint32_t chunk = 0; chunk + 1 < span_borders.size(); ++chunk) {
    for (std::size_t i = span_borders[chunk]; i < span_borders[chunk + 1]; ++i) {
      const StoredSpan& span = spans[i];
      std::uint32_t& at = next[span.name];
      const bool again = at > entries[span.name].chunks && (postings[at - 1] & ~kRun) == chunk;
      if (!again) {
        postings[at++] = chunk;
      }
      postings[at - 1] |= span.run != 0 ? kRun : 0;
    }
  }
}

void link_titles(std::span<Definition> definitions, std::span<NameEntry> entries) {
  std::sort(definitions.begin(), definitions.end(), [](const Definition& a, const Definition& b) {
    return std::tie(a.name, a.document) < std::tie(b.name, b.document);
  });
  std::size_t d = 0;
  for (NameEntry& entry : entries.first(entries.size() - 1)) {
    while (d < definitions.size() && definitions[d].name < entry.key) {
      ++d;
    }
    const bool defined = d < definitions.size() && definitions[d].name == entry.key;
    entry.facts = defined ? static_cast<std::uint32_t>(d) : kNoTitle;
  }
  entries.back().facts = kNoTitle;
}

std::uint32_t count_runs(std::span<const std::uint32_t> postings) {
  std::uint32_t runs = 0;
  for (std::size_t i = 0; i < postings.size() && runs < 2; ++i) {
    runs += postings[i] >= kRun;
  }
  return runs;
}

void count_runs(std::span<const std::uint32_t> postings, std::span<NameEntry> entries) {
  for (std::size_t name = 0; name + 1 < entries.size(); ++name) {
    const std::size_t first = entries[name].chunks;
    const auto held = postings.subspan(first, entries[name + 1].chunks - first);
    entries[name].facts |= count_runs(held) << 30;
  }
}

void complete(NameDraft& draft) {
  start_postings(draft.span_borders, draft.spans, draft.entries);
  write_postings(draft.span_borders, draft.spans, draft.entries, draft.postings);
  link_titles(draft.definitions, draft.entries);
  count_runs(draft.postings, draft.entries);
}

Image build_names(std::span<const NamedDocument* const> documents) {
  const Numbered all = number_names(documents);
  const std::vector<Key>& keys = all.number.keys();
  std::vector<std::uint32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });

  NameDraft draft(all.counts);
  std::vector<std::uint32_t> ranks(keys.size());
  for (std::uint32_t rank = 0; rank < order.size(); ++rank) {
    ranks[order[rank]] = rank;
    draft.entries[rank].key = keys[order[rank]];
  }
  Writer writer(draft);
  std::size_t span = 0;
  for (const NamedDocument* document : documents) {
    writer.write(*document, [&](Key) { return ranks[all.spans[span++]]; });
  }
  complete(draft);
  return std::move(draft.image);
}

}  // namespace bridge

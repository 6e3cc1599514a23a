#include "bridge/lexical.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "key_numbers.h"
#include "lexical_payload.h"

namespace bridge {
namespace {

constexpr std::uint16_t kMaxCount = std::numeric_limits<std::uint16_t>::max();

struct Posting {
  std::uint32_t term, chunk, count;
};

}  // namespace

Image build_lexical(std::span<const Term> terms, std::span<const std::uint32_t> where,
                    std::uint32_t chunks) {
  constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  KeyNumbers number;
  std::vector<std::size_t> latest;  // of each term, its last posting so far
  std::vector<std::size_t> df;
  std::vector<Posting> postings;  // as they come: ascending by chunk
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const std::uint32_t t = number(terms[i]);
    if (t == latest.size()) {
      latest.push_back(kNone);
      df.push_back(0);
    }
    if (latest[t] != kNone && postings[latest[t]].chunk == where[i]) {
      ++postings[latest[t]].count;
    } else {
      latest[t] = postings.size();
      postings.push_back({t, where[i], 1});
      ++df[t];
    }
  }

  const std::vector<Term>& distinct = number.keys();
  std::vector<std::uint32_t> order(distinct.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return distinct[a] < distinct[b]; });

  LexicalDraft draft(chunks, distinct.size(), postings.size(), terms.size());
  for (const std::uint32_t chunk : where) {
    ++draft.lengths[chunk];
  }
  std::vector<std::size_t> next(distinct.size());  // where the next posting of a term goes
  std::size_t end = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    draft.terms[rank] = distinct[order[rank]];
    draft.offsets[rank] = end;
    next[order[rank]] = end;
    end += df[order[rank]];
  }
  draft.offsets[distinct.size()] = end;
  for (const Posting& posting : postings) {
    const std::size_t at = next[posting.term]++;
    draft.postings[at] = posting.chunk;
    draft.counts[at] =
        static_cast<std::uint16_t>(std::min<std::uint32_t>(posting.count, kMaxCount));
  }
  return std::move(draft.image);
}

LexicalIndex::LexicalIndex(std::span<const std::byte> payload) {
  const auto header =
      read_header<LexicalHeader>(payload, "lexical index", kLexicalMagic, kLexicalVersion);
  // Neither count can be larger than the payload; checked first, so that no sum overflows.
  if (header.terms > payload.size() || header.postings > payload.size()) {
    throw DamagedPayload("lexical index payload is too small for the counts in its header");
  }
  const LexicalLayout layout(header);
  expect_size(payload, "lexical index", layout.size);
  terms_ = section<Term>(payload, layout.terms, header.terms);
  offsets_ = section<std::uint64_t>(payload, layout.offsets, header.terms + 1);
  lengths_ = section<std::uint32_t>(payload, layout.lengths, header.chunks);
  postings_ = section<std::uint32_t>(payload, layout.postings, header.postings);
  counts_ = section<std::uint16_t>(payload, layout.counts, header.postings);
  total_length_ = header.total_length;
}

LexicalEntries LexicalIndex::entries(Pace* pace) const {
  const auto expect = [](bool sound, const char* problem) {
    if (!sound) {
      throw DamagedPayload(std::string("lexical index: ") + problem);
    }
  };
  expect(offsets_.front() == 0 && offsets_.back() == postings_.size(),
         "its terms do not share out its postings");
  std::uint64_t counted = 0;
  bool more = false;  // than was counted
  for (std::size_t t = 0; t < terms_.size(); ++t) {
    const std::uint64_t first = offsets_[t], last = offsets_[t + 1];
    expect(t == 0 || terms_[t - 1] < terms_[t], "its terms do not ascend");
    expect(first < last && last <= postings_.size(), "a term has no postings");
    for (std::size_t i = first; i < last; ++i) {
      expect(i == first || postings_[i - 1] < postings_[i], "the chunks of a term do not ascend");
      expect(counts_[i] > 0, "a term stands no times in a chunk");
      counted += counts_[i];
      more |= counts_[i] == kMaxCount;
    }
    expect(postings_[last - 1] < chunks(), "a term stands in a chunk that is not there");
    if (pace != nullptr) {
      pace->read((last - first) * (sizeof(postings_[0]) + sizeof(counts_[0])));
    }
  }
  const std::uint64_t total = std::accumulate(lengths_.begin(), lengths_.end(), std::uint64_t{0});
  expect(total == total_length_, "its lengths do not add up to their total");
  expect(counted == total || (more && counted < total), "its counts do not add up to its lengths");
  return {terms_, offsets_, postings_, counts_};
}

LexicalIndex::Range LexicalIndex::range(Term term) const {
  const auto found = std::lower_bound(terms_.begin(), terms_.end(), term);
  if (found == terms_.end() || *found != term) {
    return {0, 0};
  }
  const auto t = static_cast<std::size_t>(found - terms_.begin());
  const std::size_t last = std::min<std::size_t>(offsets_[t + 1], postings_.size());
  return {std::min<std::size_t>(offsets_[t], last), last};
}

}  // namespace bridge

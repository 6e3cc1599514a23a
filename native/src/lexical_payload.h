// The payload of a lexical index: header, terms, offsets, lengths, postings, counts.
//
// header    40 bytes, below
// terms     u64 each, ascending
// offsets   u64, one more than terms: term t has the postings offsets[t] .. offsets[t + 1]
// lengths   u32 each chunk: its terms, repeats included
// postings  u32 each: the chunk, ascending within a term
// counts    u16 each posting: how often the term stands there, 65535 for more
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "bridge/lexical.h"
#include "bridge/wire.h"

namespace bridge {

struct LexicalHeader {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t chunks;
  std::uint64_t terms;
  std::uint64_t postings;
  std::uint64_t total_length;  // all lengths together
};
static_assert(sizeof(LexicalHeader) == 40);

inline constexpr std::uint64_t kLexicalMagic = 0x3158454C47524221ULL;  // "!BRGLEX1"
inline constexpr std::uint32_t kLexicalVersion = 1;

// Where each section starts, from the counts of a header; `size` is that of the whole payload.
struct LexicalLayout {
  std::size_t terms, offsets, lengths, postings, counts, size;

  explicit LexicalLayout(const LexicalHeader& h)
      : terms(padded(sizeof(LexicalHeader))),
        offsets(terms + h.terms * sizeof(Term)),
        lengths(offsets + (h.terms + 1) * sizeof(std::uint64_t)),
        postings(lengths + padded(h.chunks * sizeof(std::uint32_t))),
        counts(postings + padded(h.postings * sizeof(std::uint32_t))),
        size(counts + padded(h.postings * sizeof(std::uint16_t))) {}
};

// A payload to be filled in: its header is written, all else is zero.
struct LexicalDraft {
  Image image;
  std::span<Term> terms;
  std::span<std::uint64_t> offsets;
  std::span<std::uint32_t> lengths;
  std::span<std::uint32_t> postings;
  std::span<std::uint16_t> counts;

  LexicalDraft(std::uint32_t chunks, std::uint64_t n_terms, std::uint64_t n_postings,
               std::uint64_t total_length)
      : LexicalDraft(LexicalHeader{kLexicalMagic, kLexicalVersion, chunks, n_terms, n_postings,
                                   total_length}) {}

 private:
  explicit LexicalDraft(const LexicalHeader& header) : image(LexicalLayout(header).size) {
    const LexicalLayout at(header);
    const std::span<std::byte> bytes = image.bytes();
    std::memcpy(bytes.data(), &header, sizeof(header));
    terms = section<Term>(bytes, at.terms, header.terms);
    offsets = section<std::uint64_t>(bytes, at.offsets, header.terms + 1);
    lengths = section<std::uint32_t>(bytes, at.lengths, header.chunks);
    postings = section<std::uint32_t>(bytes, at.postings, header.postings);
    counts = section<std::uint16_t>(bytes, at.counts, header.postings);
  }
};

}  // namespace bridge

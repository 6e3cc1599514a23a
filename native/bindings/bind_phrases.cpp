#include "bridge/phrases.h"

#include "arrays.h"

using namespace nb::literals;

void bind_phrases(nb::module_& m) {
  m.def(
      "phrases",
      [](Vec<const bridge::Key> keys, Vec<const std::uint8_t> flags,
         Vec<const std::uint32_t> sentences, Vec<const std::uint32_t> chunks,
         Vec<const bridge::Key> known, Vec<const std::uint32_t> known_chunks,
         Vec<const bridge::Key> aliases) {
        const bridge::WordStream words{view(keys), view(flags), view(sentences), view(chunks)};
        if (!bridge::well_formed(words))
          throw nb::value_error(
              "keys and flags must have one length; sentences and chunks must ascend from 0 to the "
              "number of words and of sentences");
        if (known.shape(0) != known_chunks.shape(0))
          throw nb::value_error("known and known_chunks must have one length");
        for (std::uint32_t chunk : view(known_chunks))
          if (chunk + std::size_t{1} >= chunks.shape(0))
            throw nb::index_error("known_chunks names a chunk that the document does not have");
        if (aliases.shape(0) % 2 != 0) throw nb::value_error("aliases must come two and two");
        bridge::Mentions found;
        {
          nb::gil_scoped_release nogil;
          found = bridge::phrases(words, {view(known), view(known_chunks), view(aliases)});
        }
        return nb::make_tuple(to_numpy(std::move(found.entities)), to_numpy(std::move(found.chunks)));
      },
      "keys"_a, "flags"_a, "sentences"_a, "chunks"_a, "known"_a, "known_chunks"_a, "aliases"_a,
      "The pairs (entity, chunk) of one document, ascending, as two arrays.");
  m.def(
      "ngram_keys",
      [](Vec<const bridge::Key> words, std::size_t max_words) {
        if (max_words == 0 || max_words > 64) throw nb::value_error("max_words must be 1 to 64");
        std::vector<bridge::Key> grams(words.shape(0) * max_words);
        bridge::ngram_keys(view(words), max_words, grams);
        return to_numpy(std::move(grams));
      },
      "words"_a, "max_words"_a,
      "The keys of all n-grams, of n = 1 to max_words, for each first word in turn; 0 past the end.");
}

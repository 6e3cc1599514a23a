#include <algorithm>
#include <utility>

#include "arrays.h"
#include "bridge/sentence_scores.h"
#include "bridge/summary.h"
#include "strings.h"

using namespace nb::literals;

namespace {

nb::object score_sentences(const nb::str& text, const Spans& rows, Vec<const bridge::Key> keys,
                           Vec<const std::uint8_t> flags, Vec<const std::uint32_t> sentences,
                           Vec<const std::uint32_t> chunks, Vec<const bridge::Key> headings) {
  const bridge::Text characters_of = characters(text);
  const auto spans = checked_spans(rows, characters_of);
  const bridge::WordStream words{view(keys), view(flags), view(sentences), view(chunks)};
  if (!bridge::well_formed(words) || spans.size() + 1 != words.sentences.size()) {
    throw nb::value_error(
        "keys and flags must have one length; sentences and chunks must ascend from 0 to the "
        "number of words and of spans");
  }
  if (std::ranges::any_of(spans, [](bridge::Span s) { return s.start == s.end; })) {
    throw nb::value_error("a sentence is empty");
  }
  const bridge::CharTable& chars = char_table();
  bridge::SentenceScores found;
  {
    const nb::gil_scoped_release nogil;
    found = bridge::score_sentences(characters_of, spans, words, view(headings), chars);
  }
  return nb::make_tuple(to_numpy(std::move(found.scores)), to_numpy(std::move(found.sizes)),
                        to_numpy(std::move(found.offsets)), to_numpy(std::move(found.words)));
}

}  // namespace

void bind_summary(nb::module_& m) {
  m.def("score_sentences", &score_sentences, "text"_a, "spans"_a, "keys"_a, "flags"_a,
        "sentences"_a, "chunks"_a, "headings"_a,
        "Scores, sizes, offsets and words of the sentences, as `pick` takes them.");
  using Numbers = Vec<const std::uint32_t>;
  m.def(
      "pick",
      [](Vec<const double> scores, Numbers sizes, Numbers offsets, Numbers words,
         Vec<const std::uint8_t> is_leaf, Numbers first, Numbers count, Numbers room) {
        const bridge::ScoredSentences sentences{view(scores), view(sizes), view(offsets),
                                                view(words)};
        const bridge::SummaryTree tree{view(is_leaf), view(first), view(count), view(room)};
        if (const char* problem = bridge::check(sentences, tree)) {
          throw nb::value_error(problem);
        }
        bridge::Picked picked;
        {
          const nb::gil_scoped_release nogil;
          picked = bridge::pick(sentences, tree);
        }
        return nb::make_tuple(to_numpy(std::move(picked.sentences)),
                              to_numpy(std::move(picked.borders)));
      },
      "scores"_a, "sizes"_a, "offsets"_a, "words"_a, "is_leaf"_a, "first"_a, "count"_a, "room"_a,
      "The sentences that summarise each abstract, and where those of each begin.");
}

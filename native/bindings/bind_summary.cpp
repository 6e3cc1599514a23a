#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bridge/sentence_scores.h"
#include "bridge/summary.h"
#include "bridge/summary_text.h"
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

using Numbers = Vec<const std::uint32_t>;

nb::object summary_shape(Numbers child_count, Numbers first_child, Numbers first_chunk,
                         Numbers chunk_count, Vec<const std::uint8_t> level, Numbers chunks,
                         Numbers rooms) {
  const bridge::TreeColumns tree{view(child_count), view(first_child), view(first_chunk),
                                 view(chunk_count), view(level)};
  const std::size_t size = tree.level.size();
  if (tree.child_count.size() != size || tree.first_child.size() != size ||
      tree.first_chunk.size() != size || tree.chunk_count.size() != size || rooms.shape(0) == 0) {
    throw nb::value_error("the columns of a tree must have one length; there must be a room");
  }
  for (std::size_t a = 0; a < size; ++a) {
    if (std::uint64_t{tree.first_chunk[a]} + tree.chunk_count[a] >= chunks.shape(0)) {
      throw nb::index_error("a tree names a chunk that is not there");
    }
  }
  bridge::SummaryShape shape = bridge::summary_shape(tree, view(chunks), view(rooms));
  return nb::make_tuple(to_numpy(std::move(shape.is_leaf)), to_numpy(std::move(shape.first)),
                        to_numpy(std::move(shape.count)), to_numpy(std::move(shape.room)));
}

nb::list summary_texts(const nb::str& text, const Spans& rows, Numbers picked, Numbers borders,
                       Numbers longest) {
  const bridge::Text characters_of = characters(text);
  const auto spans = checked_spans(rows, characters_of);
  const auto sentences = view(picked), of_summary = view(borders), most = view(longest);
  if (of_summary.size() != most.size() + 1 || !std::ranges::is_sorted(of_summary) ||
      of_summary.back() > sentences.size()) {
    throw nb::value_error("borders must ascend to the number of sentences, one more than longest");
  }
  if (std::ranges::any_of(sentences, [&](auto j) { return j >= spans.size(); })) {
    throw nb::index_error("picked names a sentence that is not there");
  }
  const bridge::CharTable& chars = char_table();
  std::vector<std::u32string> lines(most.size());
  {
    const nb::gil_scoped_release nogil;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const auto here = sentences.subspan(of_summary[i], of_summary[i + 1] - of_summary[i]);
      lines[i] = bridge::summary_text(characters_of, spans, here, most[i], chars);
    }
  }
  nb::list made;
  for (const std::u32string& line : lines) {
    made.append(str_of(line));
  }
  return made;
}

}  // namespace

void bind_summary(nb::module_& m) {
  m.def("score_sentences", &score_sentences, "text"_a, "spans"_a, "keys"_a, "flags"_a,
        "sentences"_a, "chunks"_a, "headings"_a,
        "Scores, sizes, offsets and words of the sentences, as `pick` takes them.");
  m.def("summary_shape", &summary_shape, "child_count"_a, "first_child"_a, "first_chunk"_a,
        "chunk_count"_a, "level"_a, "chunks"_a, "rooms"_a,
        "Which abstracts are leaves, what each picks from, and its room, as `pick` takes them.");
  m.def("summary_texts", &summary_texts, "text"_a, "spans"_a, "picked"_a, "borders"_a, "longest"_a,
        "Each summary as one line, from the sentences that were picked for it.");
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

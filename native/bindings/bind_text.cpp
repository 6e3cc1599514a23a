#include <nanobind/stl/string_view.h>

#include <string_view>
#include <utility>

#include "arrays.h"
#include "bound_question.h"
#include "bridge/clean_text.h"
#include "bridge/sentences.h"
#include "bridge/word_pieces.h"
#include "bridge/words.h"
#include "strings.h"

using namespace nb::literals;

namespace {

nb::str clean(const nb::str& text) {
  const bridge::Text characters_of = characters(text);
  bool as_it_is = false;
  bridge::OwnText cleaned;
  {
    const nb::gil_scoped_release nogil;
    as_it_is = bridge::is_clean(characters_of);
    if (!as_it_is) {
      cleaned = bridge::clean(characters_of);
    }
  }
  return as_it_is ? text : str_of(cleaned);
}

bool has_surrogates(const nb::str& text) {
  const bridge::Text characters_of = characters(text);
  const nb::gil_scoped_release nogil;
  return bridge::has_surrogates(characters_of);
}

using WordKeys = Vec<const bridge::Key>;

nb::object cut_sentences(const bridge::SentenceWords& words, const nb::str& text, std::size_t start,
                         std::size_t end) {
  const bridge::Text characters_of = characters(text);
  if (start > end || end > bridge::length(characters_of)) {
    throw nb::index_error("start and end are none of the text");
  }
  const bridge::CharTable& chars = char_table();
  std::vector<bridge::Span> found;
  {
    const nb::gil_scoped_release nogil;
    found = bridge::sentences(characters_of, start, end, chars, words);
  }
  return rows_of(std::move(found));
}

nb::object count_tokens(const bridge::WordPieces& pieces, const nb::str& text, const Spans& rows) {
  const bridge::Text characters_of = characters(text);
  const auto spans = checked_spans(rows, characters_of);
  const bridge::CharTable& chars = char_table();
  bridge::TokenCount found;
  {
    const nb::gil_scoped_release nogil;
    found = pieces.count(characters_of, spans, chars);
  }
  return nb::make_tuple(to_numpy(std::move(found.tokens)), rows_of(std::move(found.odd)));
}

nb::object read_text(const bridge::WordLists& lists, const nb::str& text, const Spans& rows) {
  const bridge::Text characters_of = characters(text);
  const auto spans = checked_spans(rows, characters_of);
  const bridge::CharTable& chars = char_table();
  bridge::WordsRead found;
  {
    const nb::gil_scoped_release nogil;
    found = bridge::read_words(characters_of, spans, chars, lists);
  }
  return nb::make_tuple(to_numpy(std::move(found.keys)), to_numpy(std::move(found.flags)),
                        to_numpy(std::move(found.stems)), to_numpy(std::move(found.letters)),
                        to_numpy(std::move(found.borders)), rows_of(std::move(found.odd)));
}

// Fills in a word that `describe`, a Python function, knows by its spelling.
void fill_in(bridge::QuestionWords& words, const nb::str& text, const bridge::Odd& odd,
             const nb::callable& describe) {
  const auto spelling = nb::steal(PyUnicode_Substring(text.ptr(), odd.span.start, odd.span.end));
  if (!spelling.is_valid()) {
    throw nb::python_error();
  }
  const nb::object known = describe(spelling);
  words.keys[odd.place] = nb::cast<bridge::Key>(known[0]);
  words.flags[odd.place] = nb::cast<std::uint8_t>(known[1]);
  words.plain[odd.place] = nb::cast<bridge::Key>(known[2]);
  words.stems[odd.place] = nb::cast<std::uint32_t>(known[3]);
  words.letters[odd.place] = nb::cast<std::uint8_t>(known[4]);
}

BoundQuestion read_question(const bridge::WordLists& lists, nb::str text,
                            const nb::callable& describe) {
  const bridge::Text characters_of = characters(text);
  const bridge::CharTable& chars = char_table();
  bridge::QuestionRead read;
  {
    const nb::gil_scoped_release nogil;
    read = bridge::read_question(characters_of, chars, lists);
  }
  for (const bridge::Odd& odd : read.odd) {
    fill_in(read.words, text, odd, describe);
  }
  read.words.drop_breaks();
  return {std::move(text), std::move(read.words)};
}

}  // namespace

void bind_text(nb::module_& m) {
  m.def("clean_text", &clean, "text"_a,
        "The text with folded line ends, without control characters and half surrogate pairs.");
  m.def("has_surrogates", &has_surrogates, "text"_a, "Whether UTF-8 cannot hold the text.");
  nb::class_<bridge::SentenceWords>(m, "SentenceCutter", "Cuts texts into sentences.")
      .def(
          "__init__",
          [](bridge::SentenceWords* self, WordKeys never_last, WordKeys before_number,
             WordKeys rarely_last, WordKeys openers, WordKeys function_words) {
            const auto keys = [](const WordKeys& words) { return bridge::KeySet(view(words)); };
            new (self)
                bridge::SentenceWords{keys(never_last), keys(before_number), keys(rarely_last),
                                      keys(openers), keys(function_words)};
          },
          "never_last"_a, "before_number"_a, "rarely_last"_a, "openers"_a, "function_words"_a)
      .def("cut", &cut_sentences, "text"_a, "start"_a, "end"_a,
           "The spans of the sentences in text[start:end], as rows (start, end).");
  nb::class_<bridge::WordPieces>(m, "WordPieces", "A vocabulary of word pieces.")
      .def(
          "__init__",
          [](bridge::WordPieces* self, const nb::bytes& vocabulary, const nb::bytes& plain) {
            new (self) bridge::WordPieces({vocabulary.c_str(), vocabulary.size()},
                                          {plain.c_str(), plain.size()});
          },
          "vocabulary"_a, "plain"_a)
      .def("count", &count_tokens, "text"_a, "spans"_a,
           "The tokens in each span, and rows (span, start, end) of what is to be added.");
  nb::class_<bridge::WordLists>(m, "WordReader", "Reads texts into words.")
      .def(
          "__init__",
          [](bridge::WordLists* self, WordKeys stop_words, WordKeys connectors) {
            new (self) bridge::WordLists{bridge::KeySet(view(stop_words)),
                                         bridge::KeySet(view(connectors))};
          },
          "stop_words"_a, "connectors"_a)
      .def("read", &read_text, "text"_a, "spans"_a,
           "Keys, flags, stems, letters, borders, and rows (word, start, end) of what is to be "
           "described.")
      .def("question", &read_question, "text"_a, "describe"_a,
           "The words of a question; `describe` gives key, flags, plain, stem and letters of those "
           "that are not ASCII.");
}

#include <array>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "row_values.h"
#include "strings.h"

using namespace nb::literals;

namespace {

using Numbers = Vec<const std::uint32_t>;

constexpr std::size_t kChunkColumns = 10, kPlaceColumns = 3, kSummaryColumns = 3;

nb::object owned(PyObject* made) {
  if (made == nullptr) {
    throw nb::python_error();
  }
  return nb::steal(made);
}

nb::object number(std::int64_t value) { return owned(PyLong_FromLongLong(value)); }

nb::object part_of(const nb::str& text, std::uint32_t start, std::uint32_t end) {
  return owned(PyUnicode_Substring(text.ptr(), start, end));
}

// The borders of sentences from the start of the first, as JSON; None for a single one.
nb::object sentence_borders(std::span<const bridge::Span> sentences) {
  if (sentences.size() == 1) {
    return nb::none();
  }
  std::string json = "[";
  std::array<char, 12> digits;
  const auto add = [&](std::uint32_t border, char end) {
    const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), border).ptr;
    json.append(digits.data(), written);
    json += end;
  };
  for (const bridge::Span& sentence : sentences) {
    add(sentence.start - sentences.front().start, ',');
    add(sentence.end - sentences.front().start, &sentence == &sentences.back() ? ']' : ',');
  }
  return owned(PyUnicode_FromStringAndSize(json.data(), static_cast<Py_ssize_t>(json.size())));
}

// Rows behind one another in one list: their values, each row with its checksum at the end.
class RowList {
 public:
  RowList(std::size_t rows, std::size_t columns)
      : list_(owned(PyList_New(static_cast<Py_ssize_t>(rows * columns)))), columns_(columns) {}

  void add(nb::object value) {
    row_.push_back(value.ptr());
    put(std::move(value));
    if (row_.size() + 1 == columns_) {
      put(number(checksum(row_)));
      row_.clear();
    }
  }

  nb::object take() { return std::move(list_); }

 private:
  void put(nb::object value) { PyList_SET_ITEM(list_.ptr(), size_++, value.release().ptr()); }

  nb::object list_;  // owns the values
  std::size_t columns_;
  Py_ssize_t size_ = 0;
  std::vector<PyObject*> row_;
};

void expect_chunks(std::span<const bridge::Span> sentences, std::span<const std::uint32_t> first) {
  bool sound = !first.empty() && first.front() == 0 && first.back() == sentences.size();
  for (std::size_t i = 0; sound && i + 1 < first.size(); ++i) {
    sound = first[i] < first[i + 1];
  }
  if (!sound) {
    throw nb::value_error("first must ascend from 0 to the number of sentences");
  }
  for (std::size_t i = 1; i < sentences.size(); ++i) {
    if (sentences[i].start < sentences[i - 1].end) {
      throw nb::value_error("sentences must ascend");
    }
  }
}

nb::object chunk_rows(const nb::str& text, std::uint32_t before, std::int64_t address,
                      const Spans& spans, Numbers first, Numbers tokens, Numbers homes,
                      const nb::list& places) {
  const auto sentences = checked_spans(spans, characters(text));
  const auto firsts = view(first);
  expect_chunks(sentences, firsts);
  const std::size_t count = firsts.size() - 1;
  if (tokens.shape(0) != count || homes.shape(0) != count) {
    throw nb::value_error("there must be tokens and a home for each chunk");
  }
  if (!sentences.empty() && before > sentences.front().start) {
    throw nb::value_error("a chunk starts before the one in front of it ends");
  }
  RowList rows(count, kChunkColumns);
  for (std::size_t i = 0; i < count; ++i) {
    const std::span here(sentences.begin() + firsts[i], sentences.begin() + firsts[i + 1]);
    const std::uint32_t start = here.front().start, end = here.back().end;
    rows.add(number(address + static_cast<std::int64_t>(i)));
    rows.add(number(start));
    rows.add(number(tokens.data()[i]));
    if (homes.data()[i] >= nb::len(places)) {
      throw nb::index_error("homes names a place that is not there");
    }
    const auto place = nb::cast<nb::tuple>(places[homes.data()[i]]);
    if (nb::len(place) != kPlaceColumns) {
      throw nb::value_error("a place is headings, page and row");
    }
    for (std::size_t column = 0; column < kPlaceColumns; ++column) {
      rows.add(place[column]);
    }
    rows.add(sentence_borders(here));
    rows.add(part_of(text, before, start));
    rows.add(part_of(text, start, end));
    before = end;
  }
  return rows.take();
}

nb::object summary_rows(std::int64_t address, const nb::list& summaries) {
  const std::size_t count = nb::len(summaries);
  RowList rows(count, kSummaryColumns);
  for (std::size_t i = 0; i < count; ++i) {
    rows.add(number(address + static_cast<std::int64_t>(i)));
    rows.add(nb::cast<nb::str>(summaries[i]));
  }
  return rows.take();
}

}  // namespace

void bind_rows(nb::module_& m) {
  m.def("chunk_rows", &chunk_rows, "text"_a, "before"_a, "address"_a, "sentences"_a, "first"_a,
        "tokens"_a, "homes"_a, "places"_a,
        "The rows of neighbouring chunks in the catalog, their values in one list; `before` is "
        "where the chunk in front of them ends.");
  m.def("summary_rows", &summary_rows, "address"_a, "summaries"_a,
        "The rows of a document's summaries in the catalog, their values in one list.");
}

#include "strings.h"

#include <memory>
#include <utility>

namespace {

std::uint16_t classes_of(char32_t sign) {
  if (!Py_UNICODE_ISPRINTABLE(sign)) {  // most code points: nothing, separators and controls
    return Py_UNICODE_ISSPACE(sign) ? bridge::kSpace : 0;
  }
  unsigned classes = 0;
  const auto set = [&](bridge::CharClass name, int is) { classes |= is ? unsigned{name} : 0U; };
  set(bridge::kSpace, Py_UNICODE_ISSPACE(sign));
  set(bridge::kAlpha, Py_UNICODE_ISALPHA(sign));
  set(bridge::kDecimal, Py_UNICODE_ISDECIMAL(sign));
  set(bridge::kDigit, Py_UNICODE_ISDIGIT(sign));
  set(bridge::kLower, Py_UNICODE_ISLOWER(sign));
  constexpr unsigned known = bridge::kAlpha | bridge::kDecimal | bridge::kDigit;
  set(bridge::kAlnum, (classes & known) != 0 || Py_UNICODE_ISNUMERIC(sign));
  return static_cast<std::uint16_t>(classes);
}

// The dotted capital I becomes two characters in lower case, and is the only one that does. A mark
// stands for them: like them, it is no word and no initial.
char32_t lower(char32_t sign) {
  return sign == 0x130 ? 0x307 : static_cast<char32_t>(Py_UNICODE_TOLOWER(sign));
}

// Hands a vector of structs of `columns` numbers to NumPy without a copy.
template <typename Row>
nb::object matrix(std::vector<Row>&& rows) {
  constexpr std::size_t columns = sizeof(Row) / sizeof(std::uint32_t);
  auto owned = std::make_unique<std::vector<Row>>(std::move(rows));
  auto* data = reinterpret_cast<std::uint32_t*>(owned->data());
  const std::size_t size = owned->size();
  nb::capsule owner(owned.release(),
                    [](void* p) noexcept { delete static_cast<std::vector<Row>*>(p); });
  return nb::cast(
      nb::ndarray<nb::numpy, std::uint32_t, nb::ndim<2>>(data, {size, columns}, owner));
}

nb::str str_of(int kind, const void* units, std::size_t size) {
  PyObject* made = PyUnicode_FromKindAndData(kind, units, static_cast<Py_ssize_t>(size));
  if (made == nullptr) {
    throw nb::python_error();
  }
  return nb::steal<nb::str>(made);
}

}  // namespace

const bridge::CharTable& char_table() {
  static const bridge::CharTable table({&classes_of, &lower});
  return table;
}

bridge::Text characters(const nb::str& text) {
  PyObject* object = text.ptr();
  const auto size = static_cast<std::size_t>(PyUnicode_GET_LENGTH(object));
  if (size > 0xFFFFFFFFU) {
    throw nb::value_error("a text must have less than 2^32 characters");
  }
  const void* data = PyUnicode_DATA(object);
  switch (PyUnicode_KIND(object)) {
    case PyUnicode_1BYTE_KIND: return std::span(static_cast<const std::uint8_t*>(data), size);
    case PyUnicode_2BYTE_KIND: return std::span(static_cast<const std::uint16_t*>(data), size);
    default: return std::span(static_cast<const std::uint32_t*>(data), size);
  }
}

nb::str str_of(const bridge::OwnText& text) {
  return std::visit(
      [](const auto& units) {
        constexpr int kind = sizeof(units[0]);  // PyUnicode_1BYTE_KIND is 1, and so on
        return str_of(kind, units.data(), units.size());
      },
      text);
}

nb::str str_of(std::u32string_view signs) {
  return str_of(PyUnicode_4BYTE_KIND, signs.data(), signs.size());
}

std::vector<bridge::Span> checked_spans(const Spans& rows, const bridge::Text& text) {
  if (rows.shape(1) != 2) {
    throw nb::value_error("spans must be rows (start, end)");
  }
  std::vector<bridge::Span> spans;
  spans.reserve(rows.shape(0));
  for (std::size_t i = 0; i < rows.shape(0); ++i) {
    const bridge::Span span{rows.data()[2 * i], rows.data()[2 * i + 1]};
    if (span.start > span.end || span.end > bridge::length(text)) {
      throw nb::index_error("a span is none of the text");
    }
    spans.push_back(span);
  }
  return spans;
}

nb::object rows_of(std::vector<bridge::Span>&& spans) { return matrix(std::move(spans)); }
nb::object rows_of(std::vector<bridge::Odd>&& odd) { return matrix(std::move(odd)); }

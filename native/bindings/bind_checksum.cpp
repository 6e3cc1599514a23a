#include <array>
#include <charconv>
#include <string_view>

#include "bridge/crc32.h"
#include "row_values.h"

using namespace nb::literals;

namespace {

// Adds an integer in decimals.
std::uint32_t add_number(nb::handle value, std::uint32_t sum) {
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
  if (overflow != 0) {
    throw nb::value_error("a column's number must fit 64 bits");
  }
  std::array<char, 24> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  return bridge::crc32({digits.data(), static_cast<std::size_t>(end - digits.data())}, sum);
}

// Adds bytes in hexadecimal.
std::uint32_t add_bytes(nb::handle value, std::uint32_t sum) {
  constexpr const char* kDigits = "0123456789abcdef";
  const auto* bytes = reinterpret_cast<const unsigned char*>(PyBytes_AS_STRING(value.ptr()));
  for (Py_ssize_t i = 0; i < PyBytes_GET_SIZE(value.ptr()); ++i) {
    const std::array<char, 2> pair{kDigits[bytes[i] >> 4], kDigits[bytes[i] & 15]};
    sum = bridge::crc32({pair.data(), pair.size()}, sum);
  }
  return sum;
}

std::uint32_t add_text(nb::handle value, std::uint32_t sum) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
  if (text == nullptr) {
    throw nb::python_error();
  }
  return bridge::crc32({text, static_cast<std::size_t>(size)}, sum);
}

}  // namespace

std::uint32_t checksum(std::span<PyObject* const> values) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const nb::handle value = values[i];
    if (i > 0) {
      sum = bridge::crc32("\x1f", sum);
    }
    if (PyUnicode_Check(value.ptr())) {
      sum = add_text(value, sum);
    } else if (PyLong_Check(value.ptr())) {
      sum = add_number(value, sum);
    } else if (PyBytes_Check(value.ptr())) {
      sum = add_bytes(value, sum);
    } else if (!value.is_none()) {
      throw nb::type_error("a column is text, a whole number, bytes or None");
    }
  }
  return sum;
}

namespace {

// The first `count` values of a tuple.
std::span<PyObject* const> values_of(nb::handle row, Py_ssize_t count) {
  return {reinterpret_cast<PyTupleObject*>(row.ptr())->ob_item, static_cast<std::size_t>(count)};
}

std::uint32_t row_checksum(const nb::args& values) {
  return checksum(values_of(values, PyTuple_GET_SIZE(values.ptr())));
}

// Whether the last value of a row is the checksum of the others.
bool row_is_sound(const nb::tuple& row) {
  const Py_ssize_t last = PyTuple_GET_SIZE(row.ptr()) - 1;
  if (last < 0) {
    throw nb::value_error("a row without columns has no checksum");
  }
  const nb::handle stored = PyTuple_GET_ITEM(row.ptr(), last);
  return PyLong_Check(stored.ptr()) &&
         nb::cast<nb::int_>(stored).equal(nb::int_(checksum(values_of(row, last))));
}

}  // namespace

void bind_checksum(nb::module_& m) {
  m.def("row_checksum", &row_checksum,
        "The CRC-32 of a row: its values as text, joined by U+001F; None is empty, bytes are in "
        "hexadecimal.");
  m.def("row_is_sound", &row_is_sound, "row"_a,
        "Whether the last value of a row is the checksum of the others.");
}

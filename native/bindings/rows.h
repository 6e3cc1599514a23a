// Matrices of vectors from Python.
#pragma once

#include <cstdint>
#include <string>

#include "bridge/rank.h"
#include "module.h"

using AnyRows = nb::ndarray<nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

inline bridge::RowType row_type(const AnyRows& rows) {
  const nb::dlpack::dtype found = rows.dtype();
  if (found == nb::dtype<float>()) {
    return bridge::RowType::f32;
  }
  if (found == nb::dtype<std::int8_t>()) {
    return bridge::RowType::i8;
  }
  const auto floating = static_cast<std::uint8_t>(nb::dlpack::dtype_code::Float);
  if (found.code == floating && found.bits == 16 && found.lanes == 1) {
    return bridge::RowType::f16;
  }
  throw nb::value_error("rows must be of float32, float16 or int8");
}

// Refuses rows that are too wide, of another type, or not aligned to their numbers.
inline bridge::Rows rows_of(const AnyRows& rows) {
  const std::size_t dim = rows.shape(1);
  if (dim > bridge::kMaxDim) {
    throw nb::value_error(("a row has " + std::to_string(dim) + " numbers; the most is " +
                           std::to_string(bridge::kMaxDim))
                              .c_str());
  }
  const bridge::Rows checked{rows.data(), row_type(rows), rows.shape(0), dim};
  if (reinterpret_cast<std::uintptr_t>(rows.data()) % (rows.dtype().bits / 8) != 0) {
    throw nb::value_error("rows start at an odd address; align them to the size of a number");
  }
  return checked;
}

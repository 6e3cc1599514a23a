// What the instruction sets' files offer to dot.cpp, and what they share.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "bridge/dot.h"
#include "target.h"

namespace bridge {

#if defined(BRIDGE_X86)
DotKernels avx2_kernels();
bool have_avx2();
#endif
#if defined(BRIDGE_NEON)
DotKernels neon_kernels();
#endif

// A row of zeros has no direction: its cosine is 0.
inline float over_norm(float dot, std::int32_t squares) {
  return squares == 0 ? 0.0F : dot / std::sqrt(static_cast<float>(squares));
}

inline std::int32_t sum_of_squares(const std::int8_t* row, std::size_t from, std::size_t dim) {
  std::int32_t sum = 0;
  for (std::size_t i = from; i < dim; ++i) {
    sum += row[i] * row[i];
  }
  return sum;
}

// What is left after the last whole vector.
inline float tail(const float* query, const float* row, std::size_t from, std::size_t dim) {
  float sum = 0;
  for (std::size_t i = from; i < dim; ++i) {
    sum += query[i] * row[i];
  }
  return sum;
}
inline float tail(const float* query, const std::uint16_t* row, std::size_t from, std::size_t dim) {
  float sum = 0;
  for (std::size_t i = from; i < dim; ++i) {
    sum += query[i] * half_to_float(row[i]);
  }
  return sum;
}
inline float tail(const float* query, const std::int8_t* row, std::size_t from, std::size_t dim) {
  float sum = 0;
  for (std::size_t i = from; i < dim; ++i) {
    sum += query[i] * static_cast<float>(row[i]);
  }
  return sum;
}

}  // namespace bridge

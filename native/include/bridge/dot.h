// The cosine of a unit query and one row, for each type of row and each instruction set.
//
// A kernel adds in an order of its own that depends on the width alone, so a row has the same score
// whichever rows stand beside it. Different kernels differ in the last bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace bridge {

inline constexpr std::size_t kMaxDim = 65536;  // keeps the int8 kernels' integer sums in range

// Each is called as f(query, row, dim), with dim <= kMaxDim, and needs no alignment.
struct DotKernels {
  const char* name;
  float (*f32)(const float* query, const float* row, std::size_t dim);
  float (*f16)(const float* query, const std::uint16_t* row, std::size_t dim);  // IEEE half bits
  float (*i8)(const float* query, const std::int8_t* row, std::size_t dim);  // over the row's norm
};

// The kernels this machine can run, fastest first; the last is the portable one.
std::span<const DotKernels> dot_kernels();

// A half-precision number as a float; exact.
float half_to_float(std::uint16_t half);

}  // namespace bridge

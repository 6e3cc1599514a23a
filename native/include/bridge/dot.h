// The cosine of a unit query and one row, for each type of row and each instruction set.
//
// A kernel adds in an order of its own that depends on the width alone, so a row has the same score
// whichever rows stand beside it. Different kernels differ in the last bits.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace bridge {

inline constexpr std::size_t kMaxDim = 65536;  // keeps the int8 kernels' sums of squares below 2^31

// Each is called as f(query, row, dim), with dim <= kMaxDim.
struct DotKernels {
  const char* name;
  float (*f32)(const float* query, const float* row, std::size_t dim);
  float (*f16)(const float* query, const std::uint16_t* row, std::size_t dim);  // IEEE half bits
  float (*i8)(const float* query, const std::int8_t* row, std::size_t dim);  // over the row's norm
};

// The kernels this machine can run, fastest first; the last is the portable one.
std::span<const DotKernels> dot_kernels();

// A half-precision number as a float; exact. Shifting its exponent and fraction into a float's
// place leaves the value 2^112 too small, for normal and subnormal numbers alike; infinity and NaN
// need the float's own top exponent.
inline float half_to_float(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000U) << 16;
  const std::uint32_t magnitude = (half & 0x7FFFU) << 13;
  const auto finite = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112F);
  const std::uint32_t bits = magnitude >= 0x0F800000U ? magnitude | 0x7F800000U : finite;
  return std::bit_cast<float>(bits | sign);
}

}  // namespace bridge

#include "bridge/dot.h"

#include <array>
#include <bit>

#include "dot_kernels.h"

namespace bridge {
namespace {

constexpr std::size_t kLanes = 8;  // sums side by side, for the compiler to vectorise

float sum_of(const std::array<float, kLanes>& sums) {
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

float portable_f32(const float* query, const float* row, std::size_t dim) {
  std::array<float, kLanes> sums{};
  std::size_t i = 0;
  for (; i + kLanes <= dim; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += query[i + lane] * row[i + lane];
  }
  return sum_of(sums) + tail(query, row, i, dim);
}

float portable_f16(const float* query, const std::uint16_t* row, std::size_t dim) {
  std::array<float, kLanes> sums{};
  std::size_t i = 0;
  for (; i + kLanes <= dim; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      sums[lane] += query[i + lane] * half_to_float(row[i + lane]);
    }
  }
  return sum_of(sums) + tail(query, row, i, dim);
}

float portable_i8(const float* query, const std::int8_t* row, std::size_t dim) {
  std::array<float, kLanes> sums{};
  std::int64_t squares = 0;
  std::size_t i = 0;
  for (; i + kLanes <= dim; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      sums[lane] += query[i + lane] * static_cast<float>(row[i + lane]);
      squares += row[i + lane] * row[i + lane];
    }
  }
  const float dot = sum_of(sums) + tail(query, row, i, dim, squares);
  return over_norm(dot, squares);
}

struct Available {
  std::array<DotKernels, 2> kernels{};
  std::size_t count = 0;

  Available() {
#if defined(BRIDGE_X86)
    if (have_avx2()) kernels[count++] = avx2_kernels();
#endif
#if defined(BRIDGE_NEON)
    kernels[count++] = neon_kernels();
#endif
    kernels[count++] = {"portable", portable_f32, portable_f16, portable_i8};
  }
};

}  // namespace

std::span<const DotKernels> dot_kernels() {
  static const Available available;
  return std::span(available.kernels).first(available.count);
}

// Shifting a half's exponent and fraction into a float's place leaves the value 2^112 too small,
// for normal and subnormal numbers alike; infinity and NaN need the float's own top exponent.
float half_to_float(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000U) << 16;
  const std::uint32_t magnitude = (half & 0x7FFFU) << 13;
  const std::uint32_t bits = magnitude >= 0x0F800000U
                                 ? magnitude | 0x7F800000U
                                 : std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112F);
  return std::bit_cast<float>(bits | sign);
}

}  // namespace bridge

#include "bridge/dot.h"

#include <array>

#include "dot_kernels.h"

namespace bridge {
namespace {

constexpr std::size_t kLanes = 16;  // sums side by side, for the compiler to vectorise

float to_float(float number) { return number; }
float to_float(std::uint16_t half) { return half_to_float(half); }
float to_float(std::int8_t number) { return static_cast<float>(number); }

template <typename T>
float portable_dot(const float* query, const T* row, std::size_t dim) {
  std::array<float, kLanes> sums{};
  std::size_t i = 0;
  for (; i + kLanes <= dim; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      sums[lane] += query[i + lane] * to_float(row[i + lane]);
    }
  }
  for (std::size_t half = kLanes / 2; half > 0; half /= 2) {
    for (std::size_t lane = 0; lane < half; ++lane) {
      sums[lane] += sums[lane + half];
    }
  }
  return sums[0] + tail(query, row, i, dim);
}

float portable_i8(const float* query, const std::int8_t* row, std::size_t dim) {
  return over_norm(portable_dot(query, row, dim), sum_of_squares(row, 0, dim));
}

struct Available {
  std::array<DotKernels, 2> kernels{};
  std::size_t count = 0;

  Available() {
#if defined(BRIDGE_X86)
    if (have_avx2()) {
      kernels[count++] = avx2_kernels();
    }
#endif
#if defined(BRIDGE_NEON)
    kernels[count++] = neon_kernels();
#endif
    kernels[count++] = {"portable", portable_dot<float>, portable_dot<std::uint16_t>, portable_i8};
  }
};

}  // namespace

std::span<const DotKernels> dot_kernels() {
  static const Available available;
  return std::span(available.kernels).first(available.count);
}

}  // namespace bridge

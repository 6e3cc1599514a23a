#include "dot_kernels.h"

#if defined(BRIDGE_NEON)

#include <arm_neon.h>

namespace bridge {
namespace {

float32x4_t load(const float* row) { return vld1q_f32(row); }
float32x4_t load(const std::uint16_t* row) {
  return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(row)));
}

// Four sums side by side hide the latency of the multiply-add.
template <typename T>
float neon_dot(const float* query, const T* row, std::size_t dim) {
  float32x4_t a = vdupq_n_f32(0), b = a, c = a, d = a;
  std::size_t i = 0;
  for (; i + 16 <= dim; i += 16) {
    a = vfmaq_f32(a, load(row + i), load(query + i));
    b = vfmaq_f32(b, load(row + i + 4), load(query + i + 4));
    c = vfmaq_f32(c, load(row + i + 8), load(query + i + 8));
    d = vfmaq_f32(d, load(row + i + 12), load(query + i + 12));
  }
  for (; i + 4 <= dim; i += 4) {
    a = vfmaq_f32(a, load(row + i), load(query + i));
  }
  return vaddvq_f32(vaddq_f32(vaddq_f32(a, b), vaddq_f32(c, d))) + tail(query, row, i, dim);
}

float neon_i8(const float* query, const std::int8_t* row, std::size_t dim) {
  float32x4_t a = vdupq_n_f32(0), b = a;
  int32x4_t squares = vdupq_n_s32(0);
  std::size_t i = 0;
  for (; i + 8 <= dim; i += 8) {
    const int16x8_t words = vmovl_s8(vld1_s8(row + i));
    const int16x4_t low = vget_low_s16(words), high = vget_high_s16(words);
    squares = vmlal_s16(vmlal_s16(squares, low, low), high, high);
    a = vfmaq_f32(a, vcvtq_f32_s32(vmovl_s16(low)), vld1q_f32(query + i));
    b = vfmaq_f32(b, vcvtq_f32_s32(vmovl_s16(high)), vld1q_f32(query + i + 4));
  }
  const std::int32_t sum = vaddvq_s32(squares) + sum_of_squares(row, i, dim);
  const float dot = vaddvq_f32(vaddq_f32(a, b)) + tail(query, row, i, dim);
  return over_norm(dot, sum);
}

}  // namespace

DotKernels neon_kernels() { return {"neon", neon_dot<float>, neon_dot<std::uint16_t>, neon_i8}; }

}  // namespace bridge

#endif

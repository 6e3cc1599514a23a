#include "bridge/rank.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "random.h"

using namespace bridge;

namespace {

std::vector<float> random_floats(std::size_t count, Random& random) {
  std::vector<float> numbers(count);
  for (float& number : numbers) {
    number = random.between(-1, 1);
  }
  return numbers;
}

// Halves of random sign, exponent and fraction, none of them infinite or NaN.
std::vector<std::uint16_t> random_halves(std::size_t count, Random& random) {
  std::vector<std::uint16_t> numbers(count);
  for (std::uint16_t& number : numbers) {
    number = static_cast<std::uint16_t>(random.below(2) << 15 | random.below(0x3C00));
  }
  return numbers;
}

std::vector<std::int8_t> random_bytes(std::size_t count, Random& random) {
  std::vector<std::int8_t> numbers(count);
  for (std::int8_t& number : numbers) {
    number = static_cast<std::int8_t>(random.below(256));
  }
  return numbers;
}

double half_as_double(std::uint16_t half) {
  const int exponent = half >> 10 & 31, fraction = half & 1023;
  const double size =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return half & 0x8000 ? -size : size;
}

}  // namespace

TEST_CASE("every half-precision number becomes the float it stands for") {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float number = half_to_float(half);
    if ((bits & 0x7C00) == 0x7C00) {
      CHECK((bits & 0x3FF ? std::isnan(number) : std::isinf(number)));
    } else {
      CHECK(static_cast<double>(number) == half_as_double(half));
    }
    CHECK(std::signbit(number) == ((bits & 0x8000) != 0));
  }
}

TEST_CASE("every kernel gives the cosine, at every width") {
  Random random(1);
  std::vector<std::size_t> widths(70);
  std::iota(widths.begin(), widths.end(), std::size_t{0});
  widths.insert(widths.end(), {128, 384, 385, 768, 1024, 1536});
  for (const std::size_t dim : widths) {
    const std::vector<float> query = random_floats(dim, random),
                             floats = random_floats(dim, random);
    const std::vector<std::uint16_t> halves = random_halves(dim, random);
    const std::vector<std::int8_t> bytes = random_bytes(dim, random);
    double f32 = 0, f16 = 0, i8 = 0, squares = 0, size = 1e-3;
    for (std::size_t i = 0; i < dim; ++i) {
      const double q = static_cast<double>(query[i]);
      f32 += q * static_cast<double>(floats[i]);
      f16 += q * half_as_double(halves[i]);
      i8 += q * bytes[i];
      squares += bytes[i] * bytes[i];
      size += std::abs(q);
    }
    const double tolerance = 1e-6 * size;
    for (const DotKernels& kernels : dot_kernels()) {
      CAPTURE(kernels.name);
      CAPTURE(dim);
      CHECK(std::abs(static_cast<double>(kernels.f32(query.data(), floats.data(), dim)) - f32) <
            tolerance);
      CHECK(std::abs(static_cast<double>(kernels.f16(query.data(), halves.data(), dim)) - f16) <
            tolerance);
      const double cosine = squares == 0 ? 0 : i8 / std::sqrt(squares);
      CHECK(std::abs(static_cast<double>(kernels.i8(query.data(), bytes.data(), dim)) - cosine) <
            tolerance);
    }
  }
}

TEST_CASE("the widest int8 rows of the largest numbers do not overflow") {
  const std::vector<std::int8_t> row(kMaxDim, -128);
  const std::vector<float> query(kMaxDim, -1 / 256.0F);  // unit length
  for (const DotKernels& kernels : dot_kernels()) {
    CAPTURE(kernels.name);
    CHECK(kernels.i8(query.data(), row.data(), kMaxDim) == doctest::Approx(1.0));
  }
}

TEST_CASE("ranking agrees with sorting everything, in a pool and over all rows") {
  Random random(2);
  const std::size_t count = 300, dim = 24;
  const std::vector<float> query = random_floats(dim, random);
  std::vector<float> data = random_floats(count * dim, random);
  for (std::size_t r = 1; r < count; r += 3) {  // repeats, so that ties are real
    std::copy_n(data.begin(), dim, data.begin() + static_cast<std::ptrdiff_t>(r * dim));
  }
  data[7 * dim] = std::numeric_limits<float>::quiet_NaN();
  const Rows rows{data.data(), RowType::f32, count, dim};
  std::vector<ChunkId> all(count);
  std::iota(all.begin(), all.end(), ChunkId{0});
  std::vector<float> scores(count);
  dot_rows(query, rows, all, scores);
  CHECK(scores[7] == -std::numeric_limits<float>::infinity());
  std::vector<ChunkId> expected = all;
  std::stable_sort(expected.begin(), expected.end(),
                   [&](ChunkId a, ChunkId b) { return scores[a] > scores[b]; });
  CHECK(expected.back() == 7);

  for (const std::size_t k : {std::size_t{0}, std::size_t{1}, std::size_t{8}, count, count + 9}) {
    const std::size_t kept = std::min(k, count);
    std::vector<ChunkId> shuffled = all;
    for (std::size_t i = count; i > 1; --i) {
      std::swap(shuffled[i - 1], shuffled[random.below(i)]);
    }
    for (const Ranking& best : {rank(query, rows, k), rank(query, rows, shuffled, k)}) {
      CHECK(std::equal(best.ids.begin(), best.ids.end(), expected.begin(),
                       expected.begin() + static_cast<std::ptrdiff_t>(kept)));
      for (std::size_t i = 0; i < kept; ++i) {
        CHECK(best.scores[i] == scores[best.ids[i]]);
      }
    }
  }
}

#include <cmath>
#include <vector>

#include "bridge/rank.h"
#include "count.h"
#include "random.h"

using namespace bridge;

namespace {

constexpr std::size_t kRows = 1'000, kDim = 384;

// The half-precision number with the sign and the fraction of `bits`, of about one in size.
std::uint16_t half(std::uint64_t bits) {
  return static_cast<std::uint16_t>((bits & 0x83FF) | 0x3800);
}

template <typename T>
void count_rank_of(const char* kernel, RowType type, const std::vector<T>& numbers,
                   std::span<const float> query) {
  std::vector<ChunkId> every_other;
  for (ChunkId row = 0; row < kRows; row += 2) {
    every_other.push_back(row);
  }
  const Rows rows{numbers.data(), type, kRows, kDim};
  count(kernel, [&] { return rank(query, rows, every_other, 10).ids.size(); });
}

}  // namespace

void count_rank() {
  Random random(3);
  std::vector<float> query;
  for (std::size_t i = 0; i < kDim; ++i) {
    query.push_back(random.between(-1, 1) / std::sqrt(static_cast<float>(kDim)));
  }
  std::vector<float> f32;
  std::vector<std::uint16_t> f16;
  std::vector<std::int8_t> i8;
  for (std::size_t i = 0; i < kRows * kDim; ++i) {
    f32.push_back(random.between(-1, 1));
    f16.push_back(half(random.next()));
    i8.push_back(static_cast<std::int8_t>(random.below(255)));
  }
  count_rank_of("rank_f32", RowType::f32, f32, query);
  count_rank_of("rank_f16", RowType::f16, f16, query);
  count_rank_of("rank_i8", RowType::i8, i8, query);
}

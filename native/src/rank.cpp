#include "bridge/rank.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bridge {
namespace {

struct Scored {
  float score;
  ChunkId id;
};

// A strict order, since scores are never NaN.
bool better(const Scored& a, const Scored& b) {
  return a.score != b.score ? a.score > b.score : a.id < b.id;
}

// The ids of a full scan.
ChunkId same(std::size_t i) { return static_cast<ChunkId>(i); }

// Calls `take(index, score)` for the rows `id_of(0) .. id_of(count - 1)`.
template <typename T, typename IdOf, typename Take>
void score_each(float (*dot)(const float*, const T*, std::size_t), std::span<const float> query,
                const Rows& rows, std::size_t count, IdOf id_of, Take take) {
  constexpr std::size_t kAhead = 4;  // rows asked for before they are needed
  const T* data = static_cast<const T*>(rows.data);
  for (std::size_t i = 0; i < count; ++i) {
#if defined(__GNUC__)
    if (i + kAhead < count) {
      const T* next = data + std::size_t{id_of(i + kAhead)} * rows.dim;
      for (std::size_t at = 0; at < rows.dim; at += 64 / sizeof(T)) {
        __builtin_prefetch(next + at);
      }
    }
#endif
    const float score = dot(query.data(), data + std::size_t{id_of(i)} * rows.dim, rows.dim);
    take(i, std::isnan(score) ? -std::numeric_limits<float>::infinity() : score);
  }
}

template <typename IdOf, typename Take>
void score_all(std::span<const float> query, const Rows& rows, std::size_t count, IdOf id_of,
               Take take) {
  const DotKernels& dot = dot_kernels().front();
  switch (rows.type) {
    case RowType::f32: return score_each(dot.f32, query, rows, count, id_of, take);
    case RowType::f16: return score_each(dot.f16, query, rows, count, id_of, take);
    case RowType::i8: return score_each(dot.i8, query, rows, count, id_of, take);
  }
}

// Keeps the best in a heap whose front is the worst of them.
template <typename IdOf>
Ranking best_of(std::span<const float> query, const Rows& rows, std::size_t count, IdOf id_of,
                std::size_t k) {
  std::vector<Scored> best;
  k = std::min(k, count);
  best.reserve(k);
  score_all(query, rows, count, id_of, [&](std::size_t i, float score) {
    const Scored one{score, id_of(i)};
    if (best.size() < k) {
      best.push_back(one);
      std::push_heap(best.begin(), best.end(), better);
    } else if (k > 0 && better(one, best.front())) {
      std::pop_heap(best.begin(), best.end(), better);
      best.back() = one;
      std::push_heap(best.begin(), best.end(), better);
    }
  });
  std::sort_heap(best.begin(), best.end(), better);
  Ranking ranking;
  ranking.ids.reserve(k);
  ranking.scores.reserve(k);
  for (const Scored& one : best) {
    ranking.ids.push_back(one.id);
    ranking.scores.push_back(one.score);
  }
  return ranking;
}

}  // namespace

Ranking rank(std::span<const float> query, const Rows& rows, std::span<const ChunkId> pool,
             std::size_t k) {
  return best_of(query, rows, pool.size(), [pool](std::size_t i) { return pool[i]; }, k);
}

Ranking rank(std::span<const float> query, const Rows& rows, std::size_t k) {
  return best_of(query, rows, rows.count, same, k);
}

void dot_rows(std::span<const float> query, const Rows& rows, std::span<const ChunkId> pool,
              std::span<float> scores) {
  score_all(
      query, rows, pool.size(), [pool](std::size_t i) { return pool[i]; },
      [scores](std::size_t i, float score) { scores[i] = score; });
}

void dot_rows(std::span<const float> query, const Rows& rows, std::span<float> scores) {
  score_all(query, rows, rows.count, same,
            [scores](std::size_t i, float score) { scores[i] = score; });
}

}  // namespace bridge

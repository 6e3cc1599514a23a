// Keeps the k best rows of a candidate pool.                 Bridge-RAG, section 3.3, eq. (2)-(3)
//
// A score is the cosine of the query and a row. Floating-point rows have unit length by contract;
// an int8 row is divided by its own norm. A row has the same score in a pool and in a full scan.
// A score that is no number (a NaN in the row) counts as -infinity: such a row comes last.
//
// Memory:  the caller owns the rows; the answer is all that is allocated.
// Threads: safe to call at once from many threads on shared input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bridge/dot.h"
#include "bridge/forest.h"

namespace bridge {

enum class RowType { f32, f16, i8 };

// Row r starts at number r * dim of data. Requires: dim <= kMaxDim.
struct Rows {
  const void* data;
  RowType type;
  std::size_t count, dim;
};

struct Ranking {
  std::vector<ChunkId> ids;
  std::vector<float> scores;
};

// The best min(k, |pool|) rows of the pool, best first; equal scores: lower id first.
// Requires: |query| == dim, unit length; every id names a row; no id twice.
// Cost: O(|pool| * dim + |pool| * log k).
Ranking rank(std::span<const float> query, const Rows& rows, std::span<const ChunkId> pool,
             std::size_t k);

// The same over all rows. Requires: at most 2^32 rows.
Ranking rank(std::span<const float> query, const Rows& rows, std::size_t k);

// The score of every row of the pool, in its order. Requires: as `rank`; |scores| == |pool|.
void dot_rows(std::span<const float> query, const Rows& rows, std::span<const ChunkId> pool,
              std::span<float> scores);

// The score of every row. Requires: |scores| == rows.count.
void dot_rows(std::span<const float> query, const Rows& rows, std::span<float> scores);

}  // namespace bridge

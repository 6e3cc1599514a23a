#include <nanobind/stl/optional.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "arrays.h"
#include "bridge/rank.h"
#include "module.h"
#include "rows.h"

using namespace nb::literals;
using bridge::ChunkId;
using bridge::Rows;

namespace {

using Query = Vec<const float>;
using Pool = Vec<const ChunkId>;

Rows checked_rows(const Query& query, const AnyRows& any_rows) {
  const Rows rows = rows_of(any_rows);
  if (query.shape(0) != rows.dim) {
    throw nb::value_error(("query has " + std::to_string(query.shape(0)) + " numbers, a row " +
                           std::to_string(rows.dim) + "; embed with the model of the rows")
                              .c_str());
  }
  return rows;
}

void check_pool(const Pool& pool, const Rows& rows) {
  const auto ids = view(pool);
  const auto highest = std::max_element(ids.begin(), ids.end());
  if (highest == ids.end() || *highest < rows.count) {
    return;
  }
  throw nb::index_error(
      ("pool names row " + std::to_string(*highest) + "; there are " + std::to_string(rows.count))
          .c_str());
}

nb::tuple rank(Query query, AnyRows any_rows, std::optional<Pool> pool, std::int64_t k) {
  const Rows rows = checked_rows(query, any_rows);
  if (pool) {
    check_pool(*pool, rows);
  }
  if (k < 0) {
    throw nb::value_error(("k is " + std::to_string(k) + "; it must be 0 or more").c_str());
  }
  const auto most = static_cast<std::size_t>(k);
  bridge::Ranking best = [&] {
    const nb::gil_scoped_release nogil;
    return pool ? bridge::rank(view(query), rows, view(*pool), most)
                : bridge::rank(view(query), rows, most);
  }();
  return nb::make_tuple(to_numpy(std::move(best.ids)), to_numpy(std::move(best.scores)));
}

nb::ndarray<nb::numpy, float, nb::ndim<1>> dot_rows(Query query, AnyRows any_rows,
                                                    std::optional<Pool> pool) {
  const Rows rows = checked_rows(query, any_rows);
  if (pool) {
    check_pool(*pool, rows);
  }
  std::vector<float> scores(pool ? pool->shape(0) : rows.count);
  {
    const nb::gil_scoped_release nogil;
    if (pool) {
      bridge::dot_rows(view(query), rows, view(*pool), scores);
    } else {
      bridge::dot_rows(view(query), rows, scores);
    }
  }
  return to_numpy(std::move(scores));
}

}  // namespace

void bind_rank(nb::module_& m) {
  m.def("rank", &rank, "query"_a.noconvert(), "rows"_a.noconvert(), "pool"_a.noconvert().none(),
        "k"_a, "The k best rows of the pool (None: of all) and their cosines; see rank.h.");
  m.def("dot_rows", &dot_rows, "query"_a.noconvert(), "rows"_a.noconvert(),
        "pool"_a.noconvert().none(),
        "The cosine of every row of the pool (None: of all); see rank.h.");
  m.def(
      "dot_kernel", [] { return bridge::dot_kernels().front().name; },
      "The instruction set that rank and dot_rows use here.");
}

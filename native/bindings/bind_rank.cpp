#include <nanobind/stl/optional.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "arrays.h"
#include "bridge/rank.h"
#include "module.h"

using namespace nb::literals;
using bridge::ChunkId;
using bridge::Rows;
using bridge::RowType;

namespace {

using AnyRows = nb::ndarray<nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Query = Vec<const float>;
using Pool = Vec<const ChunkId>;

RowType row_type(const AnyRows& rows) {
  const nb::dlpack::dtype found = rows.dtype();
  if (found == nb::dtype<float>()) {
    return RowType::f32;
  }
  if (found == nb::dtype<std::int8_t>()) {
    return RowType::i8;
  }
  const auto floating = static_cast<std::uint8_t>(nb::dlpack::dtype_code::Float);
  if (found.code == floating && found.bits == 16 && found.lanes == 1) {
    return RowType::f16;
  }
  throw nb::value_error("rows must be of float32, float16 or int8");
}

Rows checked_rows(const Query& query, const AnyRows& rows) {
  const std::size_t width = query.shape(0), dim = rows.shape(1);
  if (width != dim) {
    throw nb::value_error(("query has " + std::to_string(width) + " numbers, a row " +
                           std::to_string(dim) + "; embed with the model of the rows")
                              .c_str());
  }
  if (dim > bridge::kMaxDim) {
    throw nb::value_error(("a row has " + std::to_string(dim) + " numbers; the most is " +
                           std::to_string(bridge::kMaxDim))
                              .c_str());
  }
  const Rows checked{rows.data(), row_type(rows), rows.shape(0), dim};
  if (reinterpret_cast<std::uintptr_t>(rows.data()) % (rows.dtype().bits / 8) != 0) {
    throw nb::value_error("rows start at an odd address; align them to the size of a number");
  }
  return checked;
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

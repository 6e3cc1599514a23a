// What every binding shares: the array types it accepts and the functions that register it.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <span>

namespace nb = nanobind;

// A contiguous one-dimensional (Vec) or two-dimensional (Mat) array in CPU memory.
template <typename T>
using Vec = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Mat = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <typename T>
std::span<T> view(const Vec<T>& array) {
  return {array.data(), array.shape(0)};
}

void bind_hash(nb::module_& m);
void bind_entity_index(nb::module_& m);
void bind_floor(nb::module_& m);
void bind_forest(nb::module_& m);
void bind_rank(nb::module_& m);
void bind_checksum(nb::module_& m);
void bind_heap(nb::module_& m);
void bind_reach(nb::module_& m);
void bind_recognize(nb::module_& m);
void bind_phrases(nb::module_& m);
void bind_names_reader(nb::module_& m);
void bind_name_index(nb::module_& m);
void bind_walk(nb::module_& m);
void bind_lexical(nb::module_& m);
void bind_text(nb::module_& m);
void bind_summary(nb::module_& m);
void bind_pack(nb::module_& m);
void bind_rows(nb::module_& m);
void bind_lift(nb::module_& m);

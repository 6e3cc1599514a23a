// Results of the core as NumPy arrays.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "module.h"

// Hands a vector to NumPy without a copy.
template <typename T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> to_numpy(std::vector<T>&& values) {
  auto owned = std::make_unique<std::vector<T>>(std::move(values));
  T* data = owned->data();
  const std::size_t size = owned->size();
  nb::capsule owner(owned.release(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return {data, {size}, owner};
}

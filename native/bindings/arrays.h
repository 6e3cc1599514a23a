// Results of the core as NumPy arrays, and lists of arrays for it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "module.h"

// Hands a vector to NumPy without a copy.
template <typename T, typename Memory>
nb::ndarray<nb::numpy, T, nb::ndim<1>> to_numpy(std::vector<T, Memory>&& values) {
  auto owned = std::make_unique<std::vector<T, Memory>>(std::move(values));
  T* data = owned->data();
  const std::size_t size = owned->size();
  nb::capsule owner(owned.release(),
                    [](void* p) noexcept { delete static_cast<std::vector<T, Memory>*>(p); });
  return {data, {size}, owner};
}

template <typename T>
std::vector<std::span<T>> views(const std::vector<Vec<T>>& arrays) {
  std::vector<std::span<T>> spans;
  for (const Vec<T>& array : arrays) {
    spans.push_back(view(array));
  }
  return spans;
}

// Refuses parts of a merge that are none, or not as many as the maps.
template <typename Part, typename Map>
void expect_maps(const std::vector<Part*>& parts, const std::vector<Map>& maps) {
  if (parts.size() != maps.size()) {
    throw nb::value_error(("there are " + std::to_string(parts.size()) + " parts and " +
                           std::to_string(maps.size()) + " maps; each part has its own")
                              .c_str());
  }
  for (const Part* part : parts) {
    if (part == nullptr) {
      throw nb::type_error("a part is None; it must be an index");
    }
  }
}

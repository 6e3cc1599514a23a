// What the fuzz targets share: how an input is held, asked about and altered.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace fuzz {

inline constexpr std::size_t kAsked = 64;  // keys, ids or terms asked for in one run

// The input in memory of exactly its size, so that the address sanitizer sees a read past its end.
inline std::vector<std::byte> copy(const std::uint8_t* data, std::size_t size) {
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  return {bytes, bytes + size};
}

// Numbers to ask for: those that stand in the payload from byte `from` on, and the two extremes.
template <typename T>
std::vector<T> numbers(std::span<const std::byte> payload, std::size_t from) {
  std::vector<T> found{T{0}, static_cast<T>(~T{0})};
  for (; found.size() < kAsked && from + sizeof(T) <= payload.size(); from += sizeof(T)) {
    T number;
    std::memcpy(&number, payload.data() + from, sizeof(T));
    found.push_back(number);
  }
  return found;
}

// Maps `size` old numbers to new ones from `first` on, in turn; every third is dropped.
inline std::vector<std::uint32_t> renumbering(std::size_t size, std::uint32_t first) {
  std::vector<std::uint32_t> map(size);
  for (std::size_t i = 0; i < size; ++i) {
    map[i] = i % 3 == 2 ? 0xFFFFFFFFU : first++;
  }
  return map;
}

// Alters an input. A payload is refused unless its magic, version and size are right, so three
// times in four these stay as they are and only what lies between changes.
inline std::size_t mutate(std::uint8_t* data, std::size_t size, std::size_t max_size,
                          unsigned seed) {
  constexpr std::size_t kFixed = 12;  // magic and version
  if (seed % 4 == 0 || size <= kFixed) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  const std::vector<std::uint8_t> before(data + kFixed, data + size);
  std::vector<std::uint8_t> body = before;
  const std::size_t left = LLVMFuzzerMutate(body.data(), body.size(), body.size());
  std::copy(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(left), data + kFixed);
  std::copy(before.begin() + static_cast<std::ptrdiff_t>(left), before.end(), data + kFixed + left);
  return size;
}

}  // namespace fuzz

extern "C" inline std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                                      std::size_t max_size, unsigned seed) {
  return fuzz::mutate(data, size, max_size, seed);
}

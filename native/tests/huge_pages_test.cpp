#include "bridge/huge_pages.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <utility>

using namespace bridge;

TEST_CASE("large vectors keep their numbers as they grow past a huge page, move and shrink") {
  LargeVector<std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < 3 * kHugePage / sizeof(std::uint32_t); ++i) {
    numbers.push_back(i);
  }
  CHECK(reinterpret_cast<std::uintptr_t>(numbers.data()) % kHugePage == 0);
  const LargeVector<std::uint32_t> copy = numbers;
  const LargeVector<std::uint32_t> moved = std::move(numbers);
  CHECK(copy == moved);
  CHECK(moved.front() == 0);
  CHECK(moved.back() == moved.size() - 1);
}

TEST_CASE("mapped pages are zero, whole and aligned, whatever their size") {
  for (const std::size_t size : {std::size_t{1}, kHugePage - 1, kHugePage, 3 * kHugePage + 1}) {
    auto* const bytes = static_cast<unsigned char*>(map_pages(size));
    CHECK(reinterpret_cast<std::uintptr_t>(bytes) % (size < kHugePage ? 64 : kHugePage) == 0);
    CHECK(std::all_of(bytes, bytes + size, [](unsigned char byte) { return byte == 0; }));
    bytes[size - 1] = 1;
    unmap_pages(bytes, size);
  }
}

TEST_CASE("small ones start at a cache line") {
  for (std::size_t size = 1; size < 100; ++size) {
    const LargeVector<std::uint64_t> numbers(size);
    CHECK(reinterpret_cast<std::uintptr_t>(numbers.data()) % 64 == 0);
  }
}

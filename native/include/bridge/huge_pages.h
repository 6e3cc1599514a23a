// Memory for large results, on huge pages where the system gives them.
//
// A page that is new to the process costs about as much as filling it, and huge ones are filled
// five times as fast. Numbers are left as they are found: whoever makes a vector longer writes it.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <vector>

namespace bridge {

inline constexpr std::size_t kHugePage = std::size_t{1} << 21;

// Memory that starts at a cache line, from a huge page's size on at such a page; from the heap,
// which has it ready for the next result.
void* take_pages(std::size_t bytes);
void give_pages(void* memory, std::size_t bytes) noexcept;

// The same from the system, for what stays: memory that the heap has had before may lie on small
// pages for good. It is zero.
void* map_pages(std::size_t bytes);
void unmap_pages(void* memory, std::size_t bytes) noexcept;

template <typename T>
struct HugePages {
  static_assert(std::is_trivial_v<T>);
  using value_type = T;

  HugePages() = default;
  template <typename U>
  HugePages(const HugePages<U>&) {}

  T* allocate(std::size_t count) { return static_cast<T*>(take_pages(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t count) noexcept { give_pages(memory, count * sizeof(T)); }

  template <typename U>
  void construct(U*) noexcept {}
  template <typename U, typename... Values>
  void construct(U* at, Values&&... values) {
    ::new (static_cast<void*>(at)) U(static_cast<Values&&>(values)...);
  }

  bool operator==(const HugePages&) const = default;
};

template <typename T>
using LargeVector = std::vector<T, HugePages<T>>;

}  // namespace bridge

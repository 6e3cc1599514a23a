#include "bridge/huge_pages.h"

#include <cstdint>
#include <cstring>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace bridge {
namespace {

constexpr std::size_t kLine = 64;

std::align_val_t alignment_for(std::size_t bytes) {
  return std::align_val_t{bytes < kHugePage ? kLine : kHugePage};
}

void prefer_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  madvise(memory, bytes, MADV_HUGEPAGE);  // a wish; refusing it changes nothing else
#endif
}

#if defined(__linux__)

constexpr std::size_t whole_pages(std::size_t bytes) {
  return (bytes + kHugePage - 1) / kHugePage * kHugePage;
}

// `size` bytes, whole huge pages, at such a page.
void* map_aligned(std::size_t size) {
  void* const mapped =
      mmap(nullptr, size + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) {
    throw std::bad_alloc();
  }
  auto* const start = static_cast<std::byte*>(mapped);
  const std::size_t past = reinterpret_cast<std::uintptr_t>(start) % kHugePage;
  const std::size_t before = (kHugePage - past) % kHugePage;
  if (before > 0) {
    munmap(start, before);
  }
  munmap(start + before + size, kHugePage - before);
  return start + before;
}

#endif

}  // namespace

void* take_pages(std::size_t bytes) {
  void* const memory = ::operator new(bytes, alignment_for(bytes));
  if (bytes >= kHugePage) {
    prefer_huge_pages(memory, bytes);
  }
  return memory;
}

void give_pages(void* memory, std::size_t bytes) noexcept {
  ::operator delete(memory, alignment_for(bytes));
}

void* map_pages(std::size_t bytes) {
#if defined(__linux__)
  if (bytes >= kHugePage) {
    void* const memory = map_aligned(whole_pages(bytes));
    prefer_huge_pages(memory, whole_pages(bytes));
    return memory;
  }
#endif
  void* const memory = take_pages(bytes);
  std::memset(memory, 0, bytes);
  return memory;
}

void unmap_pages(void* memory, std::size_t bytes) noexcept {
#if defined(__linux__)
  if (bytes >= kHugePage) {
    munmap(memory, whole_pages(bytes));
    return;
  }
#endif
  give_pages(memory, bytes);
}

}  // namespace bridge

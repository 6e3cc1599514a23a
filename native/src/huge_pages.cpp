#include "bridge/huge_pages.h"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace bridge {
namespace {

constexpr std::size_t kLine = 64;

std::align_val_t alignment_for(std::size_t bytes) {
  return std::align_val_t{bytes < kHugePage ? kLine : kHugePage};
}

}  // namespace

void* take_pages(std::size_t bytes) {
  void* const memory = ::operator new(bytes, alignment_for(bytes));
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  if (bytes >= kHugePage) {
    madvise(memory, bytes, MADV_HUGEPAGE);  // a wish; refusing it changes nothing else
  }
#endif
  return memory;
}

void give_pages(void* memory, std::size_t bytes) noexcept {
  ::operator delete(memory, alignment_for(bytes));
}

}  // namespace bridge

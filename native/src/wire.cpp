#include "bridge/wire.h"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace bridge {
namespace {

constexpr std::size_t kLine = 64, kHugePage = std::size_t{1} << 21;

std::align_val_t alignment_for(std::size_t size) {
  return std::align_val_t{size < kHugePage ? kLine : kHugePage};
}

}  // namespace

Image::Image(std::size_t size)
    : bytes_(static_cast<std::byte*>(::operator new(size, alignment_for(size))),
             Free{alignment_for(size)}),
      size_(size) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  if (size >= kHugePage) {
    madvise(bytes_.get(), size, MADV_HUGEPAGE);  // a wish; refusing it changes nothing else
  }
#endif
  std::memset(bytes_.get(), 0, size);
}

}  // namespace bridge

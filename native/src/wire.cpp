#include "bridge/wire.h"

namespace bridge {

Image::Image(std::size_t size)
    : bytes_(static_cast<std::byte*>(map_pages(size)), Free{size}), size_(size) {}

}  // namespace bridge

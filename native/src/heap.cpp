#include "bridge/heap.h"

#if __has_include(<malloc.h>)
#include <malloc.h>  // defines __GLIBC__ where it is that library's
#endif

namespace bridge {

void trim_heap() {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

}  // namespace bridge

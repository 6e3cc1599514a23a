#include "bridge/heap.h"

#include <cstdlib>  // defines __GLIBC__ where it is that library's
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace bridge {

void trim_heap() {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

}  // namespace bridge

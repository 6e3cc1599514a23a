// Memory that was let go of.
#pragma once

namespace bridge {

// Gives the memory that was let go of, and that the C library keeps for later, back to the system,
// where that library knows how: glibc does. Cost: some milliseconds for 100 MB.
// Threads: any, at any time.
void trim_heap();

}  // namespace bridge

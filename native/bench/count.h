// Counts the instructions of one kernel at a time, for callgrind to write down.
//
// Outside of valgrind everything runs the same and nothing is counted.
#pragma once

#include <valgrind/callgrind.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>

// Runs `work`, which returns how much it found, and has callgrind write what it cost under the
// kernel's name. What surrounds the call, such as making the input, is not counted.
template <typename Work>
void count(const char* kernel, Work work) {
  CALLGRIND_START_INSTRUMENTATION;
  const std::size_t found = work();
  CALLGRIND_STOP_INSTRUMENTATION;
  CALLGRIND_DUMP_STATS_AT(kernel);
  std::printf("%s %zu\n", kernel, found);
  if (found == 0) {
    std::fprintf(stderr, "%s finds nothing in its input\n", kernel);
    std::exit(1);
  }
}

// The kernels, a file each; all inputs are small, made from fixed seeds, the same everywhere.
void count_entity_index();
void count_forest();
void count_rank();
void count_lexical();
void count_text();
void count_names();

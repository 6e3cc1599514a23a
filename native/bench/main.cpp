// Runs every kernel once on a fixed input. `.ci/instructions.py` runs it under callgrind.

#include "bridge/dot.h"
#include "count.h"

int main() {
  std::printf("dot %s\n", bridge::dot_kernels().front().name);
  count_entity_index();
  count_forest();
  count_rank();
  count_lexical();
  count_text();
  count_names();
}

// The Python module bridgerag._native: one bind_<noun>.cpp a header of the core.
#include "module.h"

NB_MODULE(_native, m) {
  m.doc() = "The C++ core of bridgerag; see native/include/bridge for what each function promises.";
  bind_hash(m);
  bind_entity_index(m);
  bind_floor(m);
  bind_forest(m);
  bind_rank(m);
  bind_checksum(m);
  bind_heap(m);
  bind_reach(m);
  bind_recognize(m);
  bind_phrases(m);
  bind_names_reader(m);
  bind_name_index(m);
  bind_walk(m);
  bind_lexical(m);
  bind_text(m);
  bind_summary(m);
  bind_pack(m);
  bind_rows(m);
  bind_lift(m);
}

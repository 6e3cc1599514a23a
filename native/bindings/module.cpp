// The Python module bridgerag._native: one bind_<noun>.cpp a header of the core.
#include "module.h"

NB_MODULE(_native, m) {
  nb::set_leak_warnings(false);  // what a cache holds when Python ends is no leak
  m.doc() = "The C++ core of bridgerag; see native/include/bridge for what each function promises.";
  bind_hash(m);
  bind_entity_index(m);
  bind_forest(m);
  bind_rank(m);
  bind_phrases(m);
  bind_lexical(m);
  bind_text(m);
  bind_summary(m);
}

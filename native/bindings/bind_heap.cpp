#include "bridge/heap.h"
#include "module.h"

void bind_heap(nb::module_& m) {
  m.def("trim_heap", &bridge::trim_heap, nb::call_guard<nb::gil_scoped_release>(),
        "Give memory that was let go of back to the system; see heap.h.");
}

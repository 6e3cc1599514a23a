#include "module.h"

void bind_rank(nb::module_&) {}

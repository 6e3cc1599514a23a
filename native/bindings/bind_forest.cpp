#include "module.h"

void bind_forest(nb::module_&) {}

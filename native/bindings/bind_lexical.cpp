#include "module.h"

void bind_lexical(nb::module_&) {}

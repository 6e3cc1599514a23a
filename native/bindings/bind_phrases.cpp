#include "module.h"

void bind_phrases(nb::module_&) {}

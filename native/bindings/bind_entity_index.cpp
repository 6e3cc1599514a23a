#include "module.h"

void bind_entity_index(nb::module_&) {}

// The Python class DocumentNames: what a document brings to the index of names.
#pragma once

#include "bridge/name_index.h"

struct DocumentNames {
  bridge::NamedDocument names;
};

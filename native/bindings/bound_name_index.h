// The Python class NameIndex: an index, and the buffer it reads from.
#pragma once

#include <utility>

#include "bridge/name_index.h"
#include "payload.h"

struct BoundNameIndex {
  PayloadArray buffer;
  bridge::NameIndex index;

  explicit BoundNameIndex(PayloadArray array) : buffer(std::move(array)), index(bytes_of(buffer)) {}
};

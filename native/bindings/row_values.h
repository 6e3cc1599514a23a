// What a row of the catalog is made of.
#pragma once

#include <cstdint>
#include <span>

#include "module.h"

// The CRC-32 of values as text, joined by U+001F; None is empty, bytes are in hexadecimal.
std::uint32_t checksum(std::span<PyObject* const> values);

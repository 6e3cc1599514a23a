// Takes out of a text what no store can hold, and folds its line ends.
//
// Threads: safe to call at once from many threads.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "bridge/chars.h"

namespace bridge {

// The code points of a text of one's own, in units of the width of the text it was made of.
using OwnText = std::variant<std::vector<std::uint8_t>, std::vector<std::uint16_t>,
                             std::vector<std::uint32_t>>;

// Whether `clean` would leave the text as it is.
bool is_clean(const Text& text);

// Whether a text has half a surrogate pair, which UTF-8 cannot hold.
bool has_surrogates(const Text& text);

// The text with U+000A for CR LF, CR, form feed and vertical tab, with U+FFFD for half a surrogate
// pair, and without a byte order mark in front and all other controls below U+0020 but the tab.
OwnText clean(const Text& text);

}  // namespace bridge

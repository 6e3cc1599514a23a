// Writes the sentences that were picked for a summary as one line of text.
//
// Threads: safe to call at once from many threads.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "bridge/chars.h"

namespace bridge {

// The sentences of a text by their numbers, in order, with a space between neighbours and " … "
// where some are left out. Their white space is folded and a heading's marks are dropped; one of
// more than `longest` characters is cut, after a word if it has several.
//
// Requires: `picked` names spans, ascending; spans lie in `text`.
std::u32string summary_text(const Text& text, std::span<const Span> spans,
                            std::span<const std::uint32_t> picked, std::size_t longest,
                            const CharTable& chars);

}  // namespace bridge

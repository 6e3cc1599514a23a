#include "bridge/summary_text.h"

#include <cstddef>
#include <string_view>

namespace bridge {
namespace {

constexpr std::u32string_view kGap = U" \u2026 ", kCut = U"\u2026";
constexpr std::u32string_view kMarks = U"# \uFEFF";

// Appends a span, each run of white space inside it as one space.
template <typename Units>
void append_folded(Units units, Span span, const CharTable& chars, std::u32string& line) {
  bool space = false, begun = false;
  for (std::size_t at = span.start; at < span.end; ++at) {
    const char32_t sign = units[at];
    if ((chars[sign] & kSpace) != 0) {
      space = true;
      continue;
    }
    if (space && begun) {
      line += U' ';
    }
    line += sign;
    space = false;
    begun = true;
  }
}

// Drops a heading's marks, and what is behind `longest` characters, of the line from `start` on.
void trim(std::u32string& line, std::size_t start, std::size_t longest) {
  const std::size_t first = line.find_first_not_of(kMarks, start);
  line.erase(start, (first == line.npos ? line.size() : first) - start);
  if (line.size() - start <= longest) {
    return;
  }
  line.resize(start + longest);
  const std::size_t space = line.rfind(U' ');
  if (space != line.npos && space >= start) {
    line.resize(space);
  }
  line += kCut;
}

}  // namespace

std::u32string summary_text(const Text& text, std::span<const Span> spans,
                            std::span<const std::uint32_t> picked, std::size_t longest,
                            const CharTable& chars) {
  std::u32string line;
  for (std::size_t i = 0; i < picked.size(); ++i) {
    if (i > 0) {
      line += picked[i] == picked[i - 1] + 1 ? U" " : kGap;
    }
    const std::size_t start = line.size();
    std::visit([&](auto units) { append_folded(units, spans[picked[i]], chars, line); }, text);
    trim(line, start, longest);
  }
  return line;
}

}  // namespace bridge

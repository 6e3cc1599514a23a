#include "bridge/cut.h"

#include <algorithm>
#include <string_view>

namespace bridge {
namespace {

constexpr std::u32string_view kClauseEnds =
    U",;:|\u2014\u2013\uFF0C\u3001\uFF1A\uFF1B\u300D\u300F\u3002\u060C\u061B";

bool is_cjk(char32_t sign) {
  return sign >= 0x2E80 &&
         (sign <= 0x9FFF || (sign >= 0xAC00 && sign <= 0xD7A3) ||
          (sign >= 0xF900 && sign <= 0xFAFF) || (sign >= 0xFF00 && sign <= 0xFFEF) ||
          (sign >= 0x20000 && sign <= 0x3FFFF));
}

// Punctuation that stays with the CJK character before it.
bool follows_cjk(char32_t sign) {
  return sign == 0x3001 || sign == 0x3002 || sign == 0xFF0C || sign == 0xFF0E ||
         (sign >= 0xFF1A && sign <= 0xFF1F);
}

// Where the atom ends that starts at `at`, before `end`.
template <typename Units>
std::size_t atom_end(Units units, std::size_t at, std::size_t end, const CharTable& chars) {
  const bool cjk = is_cjk(units[at]);
  const auto goes_on = [&](char32_t sign) {
    return cjk ? follows_cjk(sign) : !is_cjk(sign) && (chars[sign] & kSpace) == 0;
  };
  do {
    ++at;
  } while (at < end && goes_on(units[at]));
  return at;
}

template <typename Units>
bool ends_clause(Units units, Span before, Span after) {
  const auto gap = units.subspan(before.end, after.start - before.end);
  return kClauseEnds.find(static_cast<char32_t>(units[before.end - 1])) != kClauseEnds.npos ||
         std::ranges::find(gap, U'\n') != gap.end();
}

// How many of the atoms of a full piece make one that ends well.
template <typename Units>
std::size_t well_cut(Units units, std::span<const Span> piece) {
  for (std::size_t at = piece.size() - 1; at > piece.size() / 2; --at) {
    if (ends_clause(units, piece[at - 1], piece[at])) {
      return at;
    }
  }
  return piece.size();
}

}  // namespace

std::vector<Odd> atoms(const Text& text, std::span<const Span> spans, const CharTable& chars,
                       std::size_t most) {
  std::vector<Odd> found;
  std::visit(
      [&](auto units) {
        for (std::uint32_t place = 0; place < spans.size(); ++place) {
          const std::size_t end = spans[place].end;
          for (std::size_t at = spans[place].start; at < end;) {
            if (!is_cjk(units[at]) && (chars[units[at]] & kSpace) != 0) {
              ++at;
              continue;
            }
            if (found.size() == most) {
              return;
            }
            const std::size_t start = at;
            at = atom_end(units, at, end, chars);
            found.push_back(
                {place, {static_cast<std::uint32_t>(start), static_cast<std::uint32_t>(at)}});
          }
        }
      },
      text);
  return found;
}

std::vector<std::uint32_t> clauses(const Text& text, const Atoms& atoms, std::uint64_t target) {
  std::vector<std::uint32_t> ends;
  std::visit(
      [&](auto units) {
        std::size_t first = 0;  // of the running piece
        std::uint64_t size = 0;
        const auto end_piece = [&](std::size_t end) {
          for (; first < end; ++first) {
            size -= atoms.sizes[first];
          }
          ends.push_back(static_cast<std::uint32_t>(end));
        };
        for (std::size_t at = 0; at < atoms.spans.size(); ++at) {
          if (first < at && atoms.places[at] != atoms.places[at - 1]) {
            end_piece(at);
          }
          while (first < at && size + atoms.sizes[at] > target) {
            end_piece(first + well_cut(units, atoms.spans.subspan(first, at - first)));
          }
          size += atoms.sizes[at];
        }
        if (first < atoms.spans.size()) {
          end_piece(atoms.spans.size());
        }
      },
      text);
  return ends;
}

}  // namespace bridge

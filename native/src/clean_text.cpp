#include "bridge/clean_text.h"

#include <algorithm>
#include <cstddef>
#include <type_traits>

namespace bridge {
namespace {

constexpr std::uint32_t kByteOrderMark = 0xFEFF, kReplacement = 0xFFFD;
constexpr std::uint32_t kSurrogates = 0xD800, kSurrogatesEnd = 0xE000;
constexpr std::size_t kBlock = 1024;  // looked at before it is asked whether to stop

bool is_surrogate(std::uint32_t sign) { return sign - kSurrogates < kSurrogatesEnd - kSurrogates; }

bool is_control(std::uint32_t sign) { return sign < 0x20 && sign != '\t' && sign != '\n'; }

// Whether any unit is bad; blocks without a branch, so that many units are looked at side by side.
template <typename Units, typename Bad>
bool any(Units units, Bad bad) {
  for (std::size_t first = 0; first < units.size(); first += kBlock) {
    unsigned found = 0;
    for (const auto unit : units.subspan(first, std::min(kBlock, units.size() - first))) {
      found |= static_cast<unsigned>(bad(unit));
    }
    if (found != 0) {
      return true;
    }
  }
  return false;
}

template <typename Units>
auto cleaned(Units units) {
  using Unit = std::remove_const_t<typename Units::element_type>;
  std::vector<Unit> kept;
  kept.reserve(units.size());
  const bool marked = !units.empty() && units[0] == kByteOrderMark;
  for (std::size_t at = marked ? 1 : 0; at < units.size(); ++at) {
    const std::uint32_t sign = units[at];
    if (sign == '\r' || sign == '\f' || sign == '\v') {
      at += sign == '\r' && at + 1 < units.size() && units[at + 1] == '\n';
      kept.push_back('\n');
    } else if (is_surrogate(sign)) {
      kept.push_back(static_cast<Unit>(kReplacement));
    } else if (!is_control(sign)) {
      kept.push_back(units[at]);
    }
  }
  return kept;
}

}  // namespace

bool is_clean(const Text& text) {
  return std::visit(
      [](auto units) {
        return (units.empty() || units[0] != kByteOrderMark) &&
               !any(units, [](std::uint32_t s) { return is_control(s) || is_surrogate(s); });
      },
      text);
}

bool has_surrogates(const Text& text) {
  return !std::holds_alternative<std::span<const std::uint8_t>>(text) &&
         std::visit([](auto units) { return any(units, is_surrogate); }, text);
}

OwnText clean(const Text& text) {
  return std::visit([](auto units) { return OwnText(cleaned(units)); }, text);
}

}  // namespace bridge

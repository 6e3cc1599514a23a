#include "bridge/clean_text.h"

#include <doctest/doctest.h>

#include <string>

#include "toy_chars.h"

using namespace bridge;

namespace {

std::u32string cleaned(std::u32string_view text) {
  const auto units = std::get<std::vector<std::uint32_t>>(clean(wide(text)));
  return {units.begin(), units.end()};
}

}  // namespace

TEST_CASE("line ends are folded, controls dropped, half surrogate pairs replaced") {
  CHECK(cleaned(U"a\r\nb\rc\fd\ve") == U"a\nb\nc\nd\ne");
  CHECK(cleaned(U"\r\r\n\n\r") == U"\n\n\n\n");
  const char32_t odd[] = {0xFEFF, U'a', 0, 0x1F, U'\t', 0xD800, 0xFEFF};
  CHECK(cleaned({odd, 7}) == U"a\t\uFFFD\uFEFF");
}

TEST_CASE("what is wrong is found at every place, in units of every width") {
  for (const std::size_t size : {1U, 1023U, 1024U, 1025U, 3000U}) {
    for (const std::size_t place : {std::size_t{0}, size / 2, size - 1}) {
      std::u32string text(size, U'a');
      CHECK(is_clean(wide(text)));
      text[place] = U'\r';
      CHECK_FALSE(is_clean(wide(text)));
      const std::vector<std::uint8_t> bytes = narrow(text);
      CHECK_FALSE(is_clean(Text(std::span(bytes))));
      CHECK_FALSE(has_surrogates(wide(text)));
      std::vector<std::uint16_t> half(size, 0x6F22);
      CHECK(is_clean(Text(std::span<const std::uint16_t>(half))));
      half[place] = 0xDFFF;
      CHECK_FALSE(is_clean(Text(std::span<const std::uint16_t>(half))));
      CHECK(has_surrogates(Text(std::span<const std::uint16_t>(half))));
    }
  }
}

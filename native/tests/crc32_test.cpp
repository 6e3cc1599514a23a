#include "bridge/crc32.h"

#include <doctest/doctest.h>

#include <string>

#include "random.h"

using bridge::crc32;

namespace {

std::uint32_t bit_by_bit(std::string_view text) {
  std::uint32_t rest = 0xFFFFFFFFU;
  for (const char sign : text) {
    rest ^= static_cast<unsigned char>(sign);
    for (int bit = 0; bit < 8; ++bit) {
      rest = (rest >> 1) ^ ((rest & 1U) != 0 ? 0xEDB88320U : 0U);
    }
  }
  return ~rest;
}

}  // namespace

TEST_CASE("the checksum of nine digits is the one that the standard names") {
  CHECK(crc32("123456789") == 0xCBF43926U);
  CHECK(crc32("") == 0);
}

TEST_CASE("any text has the checksum it has bit by bit, whole or in pieces") {
  Random random(5);
  for (std::uint32_t size = 0; size < 200; ++size) {
    std::string text;
    for (std::uint32_t i = 0; i < size; ++i) {
      text.push_back(static_cast<char>(random.below(256)));
    }
    const std::size_t cut = random.below(size + 1);
    CHECK(crc32(text) == bit_by_bit(text));
    CHECK(crc32(text.substr(cut), crc32(text.substr(0, cut))) == bit_by_bit(text));
  }
}

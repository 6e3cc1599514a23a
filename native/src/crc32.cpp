#include "bridge/crc32.h"

#include <array>
#include <cstring>

namespace bridge {
namespace {

constexpr std::size_t kSlices = 8;
using Tables = std::array<std::array<std::uint32_t, 256>, kSlices>;

// tables[s][b]: what byte b adds when s more bytes follow it.
constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) {
      rest = (rest >> 1) ^ ((rest & 1U) != 0 ? 0xEDB88320U : 0U);
    }
    tables[0][byte] = rest;
  }
  for (std::size_t slice = 1; slice < kSlices; ++slice) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t rest = tables[slice - 1][byte];
      tables[slice][byte] = (rest >> 8) ^ tables[0][rest & 0xFFU];
    }
  }
  return tables;
}

constexpr Tables kTables = make_tables();

}  // namespace

std::uint32_t crc32(std::string_view piece, std::uint32_t before) {
  std::uint32_t rest = ~before;
  const char* at = piece.data();
  std::size_t left = piece.size();
  for (; left >= kSlices; left -= kSlices, at += kSlices) {
    std::uint64_t eight;
    std::memcpy(&eight, at, sizeof(eight));
    eight ^= rest;
    rest = 0;
    for (std::size_t i = 0; i < kSlices; ++i) {
      rest ^= kTables[kSlices - 1 - i][(eight >> (8 * i)) & 0xFFU];
    }
  }
  for (; left > 0; --left, ++at) {
    rest = (rest >> 8) ^ kTables[0][(rest ^ static_cast<unsigned char>(*at)) & 0xFFU];
  }
  return ~rest;
}

}  // namespace bridge

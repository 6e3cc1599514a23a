// Flat payloads: sections of plain numbers that are written once and used in place, even from a
// memory-mapped file.
//
// Numbers are little-endian, sections start at multiples of 8 bytes, and the gaps are zero. A
// payload is as long as its header says, to the byte; whoever opens one checks that first, and then
// every offset that it follows.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#include "bridge/huge_pages.h"

namespace bridge {

static_assert(std::endian::native == std::endian::little, "payloads are used in place");

// A payload cannot be what it should be: cut short, altered, misaligned or of a later layout.
struct DamagedPayload : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// The bytes a section takes, with the gap after it.
constexpr std::size_t padded(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

// A payload in memory of its own, zero to begin with, on a cache line's border; a large one on huge
// pages where the system gives them, which costs a random read less.
class Image {
 public:
  explicit Image(std::size_t size);

  std::span<std::byte> bytes() { return {bytes_.get(), size_}; }
  std::span<const std::byte> bytes() const { return {bytes_.get(), size_}; }

 private:
  struct Free {
    std::size_t size;
    void operator()(std::byte* bytes) const { unmap_pages(bytes, size); }
  };
  std::unique_ptr<std::byte, Free> bytes_;
  std::size_t size_;
};

// `count` numbers of type T that start `offset` bytes into a payload.
// Requires: they lie inside it, and the offset is a multiple of 8.
template <typename T>
std::span<T> section(std::span<std::byte> payload, std::size_t offset, std::size_t count) {
  return {reinterpret_cast<T*>(payload.data() + offset), count};
}
template <typename T>
std::span<const T> section(std::span<const std::byte> payload, std::size_t offset,
                           std::size_t count) {
  return {reinterpret_cast<const T*>(payload.data() + offset), count};
}

// Reads the header a payload starts with, and refuses what cannot hold one.
template <typename Header>
Header read_header(std::span<const std::byte> payload, const char* noun, std::uint64_t magic,
                   std::uint32_t version) {
  const std::string name(noun);
  if (reinterpret_cast<std::uintptr_t>(payload.data()) % 8 != 0) {
    throw DamagedPayload(name + " payload starts at an odd address; align it to 8 bytes");
  }
  if (payload.size() < sizeof(Header)) {
    throw DamagedPayload(name + " payload has " + std::to_string(payload.size()) +
                         " bytes; its header alone has " + std::to_string(sizeof(Header)));
  }
  Header header;
  std::memcpy(&header, payload.data(), sizeof(Header));
  if (header.magic != magic) {
    throw DamagedPayload("these bytes are not the payload of a " + name);
  }
  if (header.version != version) {
    throw DamagedPayload(name + " payload has layout " + std::to_string(header.version) +
                         "; this release reads layout " + std::to_string(version));
  }
  return header;
}

// Refuses a payload whose size is not the one its header implies.
inline void expect_size(std::span<const std::byte> payload, const char* noun, std::size_t size) {
  if (payload.size() != size) {
    throw DamagedPayload(std::string(noun) + " payload has " + std::to_string(payload.size()) +
                         " bytes; its header says " + std::to_string(size));
  }
}

}  // namespace bridge

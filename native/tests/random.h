// Random numbers that are the same on every machine (std distributions are not).
#pragma once

#include <cstdint>

#include "bridge/hash.h"

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() { return bridge::mix(state_ += 0x9E3779B97F4A7C15ULL); }
  std::uint32_t below(std::uint64_t end) { return static_cast<std::uint32_t>(next() % end); }
  float between(float low, float high) {
    return low + (high - low) * static_cast<float>(below(1U << 24)) / static_cast<float>(1U << 24);
  }

 private:
  std::uint64_t state_;
};

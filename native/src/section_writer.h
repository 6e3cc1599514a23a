// Writes one section of a payload from its start to its end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "bridge/sink.h"

namespace bridge {

// Memory: a buffer of 64 KiB.
template <typename T>
class SectionWriter {
 public:
  // For `count` numbers that start `offset` bytes into the payload.
  SectionWriter(Sink& sink, std::size_t offset, std::size_t count)
      : sink_(sink), at_(offset), left_(count) {
    buffer_.reserve(std::min(count, kBuffered));
  }

  // Throws DamagedPayload where that is more than there is room for.
  void push(const T& number) {
    if (left_ == 0) {
      refuse();
    }
    --left_;
    buffer_.push_back(number);
    if (buffer_.size() == kBuffered) {
      flush();
    }
  }
  void append(std::span<const T> numbers) {
    if (numbers.size() > left_) {
      refuse();
    }
    left_ -= numbers.size();
    while (!numbers.empty()) {
      const auto fit = numbers.first(std::min(numbers.size(), kBuffered - buffer_.size()));
      buffer_.insert(buffer_.end(), fit.begin(), fit.end());
      numbers = numbers.subspan(fit.size());
      if (buffer_.size() == kBuffered) {
        flush();
      }
    }
  }

  // Writes what is left. Throws DamagedPayload where the section is not full.
  void finish() {
    if (left_ != 0) {
      refuse();
    }
    flush();
  }

 private:
  static constexpr std::size_t kBuffered = (std::size_t{64} << 10) / sizeof(T);

  [[noreturn]] static void refuse() {
    throw DamagedPayload("the parts of a merge are no longer what they were");
  }
  void flush() {
    const auto bytes = std::as_bytes(std::span<const T>(buffer_));
    sink_.write(at_, bytes);
    at_ += bytes.size();
    buffer_.clear();
  }

  Sink& sink_;
  std::size_t at_, left_;
  std::vector<T> buffer_;
};

}  // namespace bridge

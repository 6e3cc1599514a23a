// A payload that is written in pieces, by whoever must not hold it whole.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <utility>

#include "bridge/wire.h"

namespace bridge {

// Takes a payload in pieces; what no piece says is zero.
class Sink {
 public:
  virtual ~Sink() = default;

  // Says how long the payload is. Called before the first piece; once more where all that was
  // written is void, and the payload begins anew.
  virtual void start(std::size_t size) = 0;
  virtual void write(std::size_t offset, std::span<const std::byte> piece) = 0;

  // Called whenever some megabytes of the parts have been read: none of it is needed in memory.
  virtual void rest() {}
};

// A payload in memory.
class ImageSink : public Sink {
 public:
  void start(std::size_t size) override { image_ = Image(size); }
  void write(std::size_t offset, std::span<const std::byte> piece) override {
    std::ranges::copy(piece, image_.bytes().subspan(offset).begin());
  }
  Image take() { return std::move(image_); }

 private:
  Image image_{0};
};

// Counts what is read of the parts, and has the sink rest when it is much.
class Pace {
 public:
  explicit Pace(Sink& sink) : sink_(sink) {}
  void read(std::size_t bytes) {
    read_ += bytes;
    if (read_ >= kMuch) {
      rest();
    }
  }
  void rest() {
    sink_.rest();
    read_ = 0;
  }

 private:
  static constexpr std::size_t kMuch = std::size_t{4} << 20;
  Sink& sink_;
  std::size_t read_ = 0;
};

}  // namespace bridge

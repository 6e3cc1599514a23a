// The Python class Forest: a forest and the payload it stands in.
#pragma once

#include <memory>
#include <span>
#include <utility>

#include "bridge/forest.h"
#include "payload.h"

// The payload is its own, or a buffer that Python lent.
class OwnedForest {
 public:
  explicit OwnedForest(bridge::Image image)
      : image_(std::move(image)), forest_(bridge::open_forest(payload())) {}
  explicit OwnedForest(std::unique_ptr<Buffer> buffer)
      : buffer_(std::move(buffer)), forest_(bridge::open_forest(payload())) {}

  const bridge::Forest& operator*() const { return forest_; }
  std::span<const std::byte> payload() const { return buffer_ ? buffer_->bytes() : image_.bytes(); }

 private:
  std::unique_ptr<Buffer> buffer_;
  bridge::Image image_{0};
  bridge::Forest forest_;
};

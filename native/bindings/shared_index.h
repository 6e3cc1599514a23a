// The Python class EntityIndex: an index, the buffer it may stand in, and a lock.
#pragma once

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "bridge/entity_index.h"
#include "payload.h"

// The lock keeps changes away from readers: calls run without the GIL, so Python threads do meet.
class SharedIndex {
 public:
  explicit SharedIndex(bool verify) : index_(verify) {}
  explicit SharedIndex(bridge::EntityIndex index, std::unique_ptr<Buffer> buffer = nullptr)
      : buffer_(std::move(buffer)), index_(std::move(index)) {}

  // Runs `call` beside other readers.
  template <typename Call>
  auto read(Call call) {
    const nb::gil_scoped_release nogil;
    const std::shared_lock lock(gate_);
    return call(index_);
  }

  // Runs `call` alone.
  template <typename Call>
  auto write(Call call) {
    const nb::gil_scoped_release nogil;
    const std::unique_lock lock(gate_);
    return call(index_);
  }

  // Keeps changes away while it lives.
  std::shared_lock<std::shared_mutex> hold() { return std::shared_lock(gate_); }
  const bridge::EntityIndex& index() const { return index_; }

 private:
  std::unique_ptr<Buffer> buffer_;  // goes last: the index points into it
  bridge::EntityIndex index_;
  std::shared_mutex gate_;
};

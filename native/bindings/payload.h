// Payloads across the border: a buffer that Python lends, and bytes made for it.
#pragma once

#include <cstddef>
#include <span>

#include "module.h"

// The bytes of a Python object (bytes, mmap, memoryview, array), borrowed while this lives.
class Buffer {
 public:
  explicit Buffer(nb::handle object) {
    writable_ = PyObject_GetBuffer(object.ptr(), &buffer_, PyBUF_WRITABLE) == 0;
    if (writable_) {
      return;
    }
    PyErr_Clear();
    if (PyObject_GetBuffer(object.ptr(), &buffer_, PyBUF_SIMPLE) != 0) {
      throw nb::python_error();
    }
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() {
    const nb::gil_scoped_acquire gil;
    PyBuffer_Release(&buffer_);
  }

  std::span<const std::byte> bytes() const {
    return {static_cast<const std::byte*>(buffer_.buf), static_cast<std::size_t>(buffer_.len)};
  }
  bool writable() const { return writable_; }

 private:
  Py_buffer buffer_{};
  bool writable_;
};

inline nb::bytes to_python(std::span<const std::byte> payload) {
  return nb::bytes(payload.data(), payload.size());
}

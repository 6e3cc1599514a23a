// Payloads across the border: a buffer that Python lends, and bytes made for it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "bridge/sink.h"
#include "bridge/wire.h"
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

// Bytes that an array owns or keeps alive.
using PayloadArray = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

inline std::span<const std::byte> bytes_of(const PayloadArray& array) {
  return {reinterpret_cast<const std::byte*>(array.data()), array.shape(0)};
}

// The payload that `make` returns, without a copy; runs it without the GIL.
template <typename Make>
PayloadArray to_array(Make make) {
  std::unique_ptr<bridge::Image> image;
  {
    const nb::gil_scoped_release nogil;
    image = std::make_unique<bridge::Image>(make());
  }
  const auto bytes = image->bytes();
  nb::capsule owner(image.release(),
                    [](void* p) noexcept { delete static_cast<bridge::Image*>(p); });
  return PayloadArray(reinterpret_cast<const std::uint8_t*>(bytes.data()), {bytes.size()}, owner);
}

// A read-only view of a payload, which `self` keeps alive.
inline nb::object payload_of(nb::handle self, const PayloadArray& buffer) {
  return nb::cast(nb::ndarray<nb::numpy, const std::uint8_t, nb::ndim<1>>(buffer.data(),
                                                                          {buffer.shape(0)}, self));
}

// A sink of Python's: an object with `start(size)`, `write(offset, piece)`, `rest()`. A piece is a
// memoryview of what is gone after the call. What Python raises comes out of the merge.
class PythonSink : public bridge::Sink {
 public:
  explicit PythonSink(nb::handle sink) : sink_(sink) {}

  void start(std::size_t size) override {
    const nb::gil_scoped_acquire gil;
    sink_.attr("start")(size);
  }
  void write(std::size_t offset, std::span<const std::byte> piece) override {
    const nb::gil_scoped_acquire gil;
    const auto* bytes = reinterpret_cast<const char*>(piece.data());
    const nb::object view = nb::steal(PyMemoryView_FromMemory(
        const_cast<char*>(bytes), static_cast<Py_ssize_t>(piece.size()), PyBUF_READ));
    sink_.attr("write")(offset, view);
  }
  void rest() override {
    const nb::gil_scoped_acquire gil;
    sink_.attr("rest")();
  }

 private:
  nb::handle sink_;
};

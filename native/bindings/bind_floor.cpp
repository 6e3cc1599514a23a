#include <string>

#include "bridge/floor.h"
#include "module.h"

using namespace nb::literals;

namespace {

using Lines = Mat<const std::uint64_t>;

std::span<const std::uint64_t> numbers_of(const Lines& lines) {
  if (lines.shape(0) == 0 || lines.shape(1) != bridge::kLineNumbers) {
    throw nb::value_error(("lines has " + std::to_string(lines.shape(0)) + " rows of " +
                           std::to_string(lines.shape(1)) +
                           " numbers; it must have one row or more, of " +
                           std::to_string(bridge::kLineNumbers))
                              .c_str());
  }
  return {lines.data(), lines.size()};
}

}  // namespace

void bind_floor(nb::module_& m) {
  m.def(
      "chase_lines",
      [](Lines lines, std::size_t steps) {
        const auto numbers = numbers_of(lines);
        const nb::gil_scoped_release nogil;
        return bridge::chase_lines(numbers, steps);
      },
      "lines"_a.noconvert(), "steps"_a);
  m.def(
      "sum_lines",
      [](Lines lines, Vec<const std::uint32_t> order, std::size_t ahead) {
        const auto numbers = numbers_of(lines);
        const nb::gil_scoped_release nogil;
        return bridge::sum_lines(numbers, view(order), ahead);
      },
      "lines"_a.noconvert(), "order"_a.noconvert(), "ahead"_a);
}

#include "../src/section_writer.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "bridge/sink.h"

using namespace bridge;

TEST_CASE("sections that are written side by side stand where they belong") {
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{100'000}}) {
    std::vector<std::uint32_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 7U);
    const std::size_t bytes = count * sizeof(std::uint32_t);
    ImageSink sink;
    sink.start(8 + padded(bytes) + bytes);
    SectionWriter<std::uint32_t> first(sink, 8, count), second(sink, 8 + padded(bytes), count);
    for (const std::uint32_t number : numbers) {
      first.push(number);
    }
    second.append(numbers);
    first.finish();
    second.finish();
    const Image image = sink.take();
    for (const std::size_t offset : {std::size_t{8}, 8 + padded(bytes)}) {
      CHECK(std::ranges::equal(section<std::uint32_t>(image.bytes(), offset, count), numbers));
    }
  }
}

TEST_CASE("a section is neither overfull nor left unfinished") {
  ImageSink sink;
  sink.start(16);
  SectionWriter<std::uint64_t> writer(sink, 0, 2);
  writer.push(1);
  CHECK_THROWS_AS(writer.finish(), DamagedPayload);
  writer.push(2);
  CHECK_THROWS_AS(writer.push(3), DamagedPayload);
  writer.finish();
}

TEST_CASE("a sink rests whenever some megabytes were read") {
  struct Counting : ImageSink {
    int rests = 0;
    void rest() override { ++rests; }
  } sink;
  Pace pace(sink);
  for (int i = 0; i < 1024; ++i) {
    pace.read(64 << 10);  // 64 MiB in all
  }
  CHECK(sink.rests == 16);
}

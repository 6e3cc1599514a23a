#include "bridge/terms.h"

#include <doctest/doctest.h>

using namespace bridge;

namespace {

const std::vector<Key> kKeys{1, 2, 0, 3, 4, 5};
const std::vector<std::uint8_t> kFlags{0, kStop, kBreak, kIdeograph, kIdeograph, 0};

}  // namespace

TEST_CASE("terms leave function words and breaks out and pair Han characters") {
  const std::vector<Term> found = terms(kKeys, kFlags);
  REQUIRE(found.size() == 5);
  CHECK(found[0] == 1);
  CHECK(found[1] == 3);
  CHECK(found[2] != 3);  // the pair
  CHECK(found[3] == 4);
  CHECK(found[4] == 5);
}

TEST_CASE("each chunk has its terms and those of the title") {
  const std::vector<std::uint32_t> sentences{0, 2, 4, 6}, chunks{0, 1, 3};
  const std::vector<Term> title{7, 8};
  const ChunkTerms found = chunk_terms({kKeys, kFlags, sentences, chunks}, title);
  CHECK(found.chunks == std::vector<std::uint32_t>{0, 0, 0, 1, 1, 1, 1, 1, 1});
  CHECK(found.terms.size() == found.chunks.size());
  CHECK(found.terms[1] == 7);
  CHECK(found.terms.back() == 8);
}

TEST_CASE("no words give no terms") {
  const std::vector<std::uint32_t> none{0};
  CHECK(terms({}, {}).empty());
  CHECK(chunk_terms({{}, {}, none, none}, {}).terms.empty());
}

#include "bridge/forest.h"

#include <algorithm>
#include <stdexcept>

namespace bridge {
namespace {

constexpr const char* kNoun = "forest";
constexpr std::uint64_t kMagic = 0x545345524F464742;  // "BGFOREST"
constexpr std::uint32_t kVersion = 1;

// The payload: this header, five arrays of u32 in the order of `Forest`, one of u8, each padded.
struct ForestHeader {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t reserved;
  std::uint64_t abstracts;
  std::uint64_t chunks;
};
static_assert(sizeof(ForestHeader) == 32);

constexpr std::uint64_t kMaxChunks = 0xFFFFFFFFU;
constexpr std::size_t kWide = 5;  // arrays of u32

std::size_t size_for(std::size_t abstracts) {
  return sizeof(ForestHeader) + kWide * padded(abstracts * 4) + padded(abstracts);
}

template <typename T>
void write(std::byte*& at, std::span<const T> numbers) {
  if (!numbers.empty()) {
    std::memcpy(at, numbers.data(), numbers.size_bytes());
  }
  at += padded(numbers.size_bytes());
}

std::string at(AbstractId abstract, const std::string& problem) {
  return "abstract " + std::to_string(abstract) + ": " + problem;
}

// Looks at the levels one after the other, from the leaves of each document to its root.
class Check {
 public:
  explicit Check(const Forest& forest) : forest_(forest) {}

  std::string run() {
    const auto size = static_cast<AbstractId>(forest_.size());
    AbstractId next_child = 0;  // the children of all abstracts, in order, tile the non-roots
    ChunkId next_chunk = 0;
    for (AbstractId a = 0; a < size; ++a) {
      std::string problem = forest_.level[a] == 0 ? leaf(a, next_chunk) : inner(a, next_child);
      if (problem.empty()) {
        problem = parent(a);
      }
      if (!problem.empty()) {
        return problem;
      }
      if (forest_.level[a] == 0) {
        next_chunk += forest_.chunk_count[a];
      } else {
        next_child += forest_.child_count[a];
      }
      if (forest_.parent[a] == kNoParent) {
        if (next_child != a) {
          return at(a, "it is a root, and not all before it have parents");
        }
        next_child = a + 1;
      }
    }
    if (next_child != size) {
      return "the last document has no root";
    }
    if (next_chunk != forest_.chunks) {
      return "the last leaf ends at chunk " + std::to_string(next_chunk) + "; the forest has " +
             std::to_string(forest_.chunks);
    }
    return {};
  }

 private:
  std::string leaf(AbstractId a, ChunkId next_chunk) const {
    if (forest_.child_count[a] != 0 || forest_.first_child[a] != 0) {
      return at(a, "it is a leaf with children");
    }
    if (forest_.chunk_count[a] == 0) {
      return at(a, "it owns no chunks");
    }
    if (forest_.first_chunk[a] != next_chunk) {
      return at(a, "it starts at chunk " + std::to_string(forest_.first_chunk[a]) +
                       "; the leaf before ends at " + std::to_string(next_chunk));
    }
    if (forest_.chunk_count[a] > 0xFFFFFFFFU - next_chunk) {
      return at(a, "it owns chunks past 2^32");
    }
    return {};
  }

  std::string inner(AbstractId a, AbstractId next_child) const {
    const AbstractId first = forest_.first_child[a], count = forest_.child_count[a];
    if (count == 0) {
      return at(a, "it is no leaf, and has no children");
    }
    if (first != next_child) {
      return at(a, "its children start at " + std::to_string(first) + "; expected " +
                       std::to_string(next_child));
    }
    if (first >= a || count > a - first) {
      return at(a, "its children are not all below it");
    }
    ChunkId next_chunk = forest_.first_chunk[a];
    for (AbstractId child = first; child < first + count; ++child) {
      if (forest_.parent[child] != a) {
        return at(child, "its parent is " + std::to_string(forest_.parent[child]) + ", not " +
                             std::to_string(a));
      }
      if (forest_.level[child] + 1 != forest_.level[a]) {
        return at(child, "its level is " + std::to_string(forest_.level[child]) +
                             ", its parent's " + std::to_string(forest_.level[a]));
      }
      if (forest_.first_chunk[child] != next_chunk) {
        return at(a, "its children's chunks have gaps");
      }
      next_chunk += forest_.chunk_count[child];
    }
    if (next_chunk - forest_.first_chunk[a] != forest_.chunk_count[a]) {
      return at(a, "it owns other chunks than its children");
    }
    return {};
  }

  // A child's own parent is looked at from the parent; here it only has to lie ahead.
  std::string parent(AbstractId a) const {
    const AbstractId up = forest_.parent[a];
    if (up == kNoParent || (up > a && up < forest_.size())) {
      return {};
    }
    return at(a, "its parent is " + std::to_string(up) + "; expected one above it or none");
  }

  const Forest& forest_;
};

}  // namespace

Image pack(const Forest& forest) {
  if (forest.size() > kMaxAbstract) {
    throw std::length_error("a forest has at most 2^31 - 1 abstracts");
  }
  Image image(size_for(forest.size()));
  std::uint64_t chunks = 0;
  for (std::size_t a = 0; a < forest.size(); ++a) {
    chunks = std::max(chunks, std::uint64_t{forest.first_chunk[a]} + forest.chunk_count[a]);
  }
  if (chunks > kMaxChunks) {
    throw std::length_error("a forest has at most 2^32 - 1 chunks");
  }
  const ForestHeader header{kMagic, kVersion, 0, forest.size(), chunks};
  std::byte* at = image.bytes().data();
  std::memcpy(at, &header, sizeof(header));
  at += sizeof(header);
  write(at, forest.parent);
  write(at, forest.first_child);
  write(at, forest.child_count);
  write(at, forest.first_chunk);
  write(at, forest.chunk_count);
  write(at, forest.level);
  return image;
}

Forest open_forest(std::span<const std::byte> payload) {
  const auto header = read_header<ForestHeader>(payload, kNoun, kMagic, kVersion);
  if (header.abstracts > kMaxAbstract || header.chunks > kMaxChunks) {
    throw DamagedPayload("forest payload: impossible count");
  }
  const auto abstracts = static_cast<std::size_t>(header.abstracts);
  expect_size(payload, kNoun, size_for(abstracts));
  const auto wide = [&](std::size_t array) {
    return section<std::uint32_t>(payload, sizeof(header) + array * padded(abstracts * 4),
                                  abstracts);
  };
  return {wide(0),
          wide(1),
          wide(2),
          wide(3),
          wide(4),
          section<std::uint8_t>(payload, sizeof(header) + kWide * padded(abstracts * 4), abstracts),
          header.chunks};
}

std::string check(const Forest& forest) { return Check(forest).run(); }

}  // namespace bridge

#include "bridge/list_finder.h"

#include <algorithm>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "atomics.h"
#include "find_step.h"

namespace bridge {
namespace {

// An empty slot may pass for key 0.
struct KeySlots {
  static std::uint32_t of(const Bucket& bucket, Key key, std::uint32_t) {
#if defined(__SSE2__)
    const auto* keys = reinterpret_cast<const __m128i*>(bucket.keys);
    const __m128i wanted = _mm_set1_epi64x(static_cast<std::int64_t>(key));
    const auto front = _mm_castsi128_ps(_mm_cmpeq_epi32(_mm_loadu_si128(keys), wanted));
    const auto back = _mm_castsi128_ps(_mm_cmpeq_epi32(_mm_loadu_si128(keys + 1), wanted));
    const __m128 low = _mm_shuffle_ps(front, back, _MM_SHUFFLE(2, 0, 2, 0));
    const __m128 high = _mm_shuffle_ps(front, back, _MM_SHUFFLE(3, 1, 3, 1));
    return static_cast<std::uint32_t>(_mm_movemask_ps(_mm_and_ps(low, high)));
#else
    std::uint32_t slots = 0;
    for (std::size_t s = 0; s < kBucketSlots; ++s) {
      slots |= static_cast<std::uint32_t>(bucket.keys[s] == key) << s;
    }
    return slots;
#endif
  }
};

struct FingerprintSlots {
  static std::uint32_t of(const Bucket& bucket, Key, std::uint32_t fingerprint) {
    std::uint32_t slots = 0;
    for (std::size_t s = 0; s < kBucketSlots; ++s) {
      const bool like = fingerprint_of(relaxed_load(bucket.marks[s])) == fingerprint;
      slots |= static_cast<std::uint32_t>(like & (bucket.lists[s] != kNoList)) << s;
    }
    return slots;
  }
};

struct Available {
  std::array<FindKernel, 3> kernels{};
  std::size_t count = 0;

  Available() {
#if defined(BRIDGE_X86)
    if (have_avx512_find()) {
      kernels[count++] = avx512_find();
    }
    if (have_avx2_find()) {
      kernels[count++] = avx2_find();
    }
#endif
    kernels[count++] = {"portable", take_step<KeySlots>};
  }
};

constexpr FindKernel kByFingerprint = {"portable", take_step<FingerprintSlots>};

}  // namespace

std::span<const FindKernel> find_kernels(bool verify) {
  static const Available available;
  return verify ? std::span(available.kernels).first(available.count)
                : std::span(&kByFingerprint, 1);
}

ListFinder::ListFinder(const ListQuestion& question, const FindKernel& kernel)
    : question_(question), kernel_(&kernel) {}

std::span<const ListHandle> ListFinder::next() {
  constexpr std::size_t kUnderWay = 3 * ListRing::kApart;  // the last way is for what runs hold
  do {
    if (entered_ >= question_.keys.size() + kUnderWay) {
      return {};
    }
    kernel_->step(question_, ring_, entered_);
    entered_ += ListRing::kBlock;
  } while (entered_ <= kUnderWay);
  return finished(entered_ - ListRing::kBlock - kUnderWay);
}

// The block of keys from `start` on. Where entities may stand outside their buckets, or behind an
// empty slot that passes for key 0, who was not found is looked for again.
std::span<ListHandle> ListFinder::finished(std::size_t start) {
  const std::span<const Key> keys = question_.keys.subspan(start);
  const std::span<ListHandle> lists =
      std::span(ring_.lists)
          .subspan(start % ListRing::kSize, std::min(ListRing::kBlock, keys.size()));
  const CuckooView& table = question_.table;
  if (table.filled() && table.stash().empty()) {
    return lists;
  }
  for (std::size_t i = 0; i < lists.size(); ++i) {
    if (lists[i] == kNoList && (keys[i] == 0 || !table.stash().empty())) {
      const Place place = table.find(keys[i], question_.verify);
      lists[i] = place ? *place.list : kNoList;
    }
  }
  return lists;
}

}  // namespace bridge

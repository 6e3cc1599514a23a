#include "bridge/pack.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string_view>
#include <utility>

namespace bridge {
namespace {

constexpr std::uint64_t kSmall = 4;    // a chunk under a quarter of the target goes on past a border
constexpr std::uint64_t kTail = 6;     // a last chunk under a sixth is evened out
constexpr std::uint64_t kLeadIn = 16;  // a line under a sixteenth that is no sentence leads in
constexpr std::u32string_view kStops = U".!?\u3002\uFF01\uFF1F\u2026\u061F\u06D4\u0964";

bool ends_with_stop(const Text& text, Span span) {
  const char32_t last =
      std::visit([&](auto units) { return static_cast<char32_t>(units[span.end - 1]); }, text);
  return kStops.find(last) != kStops.npos;
}

// Packs one group of sections.
class Packer {
 public:
  Packer(const Text& text, const PackUnits& units, const PackSections& sections,
         std::uint64_t target)
      : text_(text), units_(units), sections_(sections), target_(target) {}

  // Appends the chunks of the sections [first, last).
  void pack(std::uint32_t first, std::uint32_t last, Packed& packed) {
    borders_.clear();
    homes_.clear();
    size_ = target_;
    end_ = sections_.units[last];
    for (std::uint32_t section = first; section < last; ++section) {
      add(section);
    }
    even_tails();
    for (std::size_t c = 0; c < borders_.size(); ++c) {
      packed.first.push_back(borders_[c]);
      packed.sections.push_back(home(c, last));
    }
  }

 private:
  void add(std::uint32_t section) {
    bool running = size_ * kSmall < target_;
    for (std::uint32_t unit = sections_.units[section]; unit < sections_.units[section + 1];
         ++unit) {
      const std::uint32_t size = units_.sizes[unit];
      if (!running || size_ + size > target_) {
        const bool with_last = running && leads_in(unit, section);
        borders_.push_back(unit - with_last);
        homes_.push_back(section);
        size_ = with_last ? units_.sizes[unit - 1] : 0;
        running = true;
      }
      size_ += size;
    }
  }

  // Whether the unit before only introduces this one, as "Note" does.
  bool leads_in(std::uint32_t unit, std::uint32_t section) const {
    const std::uint64_t last = units_.sizes[unit - 1];
    const Span span = units_.spans[unit - 1];
    return unit - borders_.back() >= 2 && last * kLeadIn < target_ &&
           last + units_.sizes[unit] <= target_ && span.start >= sections_.spans[section].start &&
           !ends_with_stop(text_, span);
  }

  // Moves units into a tiny last chunk of a section from the chunk before it.
  void even_tails() {
    for (std::size_t at = 1; at < borders_.size(); ++at) {
      const bool alone = homes_[at] != homes_[at - 1];
      if (alone || (at + 1 < homes_.size() && homes_[at + 1] == homes_[at])) {
        continue;
      }
      const std::uint32_t first = borders_[at - 1];
      std::uint32_t border = borders_[at];
      std::uint64_t before = sum(first, border), tail = sum(border, end_of(at));
      if (tail * kTail >= target_) {
        continue;
      }
      while (border - first > 1) {
        const std::uint64_t moved = units_.sizes[border - 1];
        if (tail + moved + moved > before) {
          break;
        }
        --border;
        tail += moved;
        before -= moved;
      }
      borders_[at] = border;
    }
  }

  std::uint32_t end_of(std::size_t chunk) const {
    return chunk + 1 < borders_.size() ? borders_[chunk + 1] : end_;
  }

  std::uint64_t sum(std::uint32_t first, std::uint32_t last) const {
    const auto sizes = units_.sizes.subspan(first, last - first);
    return std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
  }

  // The section that holds most of a chunk, the first of several; sections end before `last`.
  std::uint32_t home(std::size_t chunk, std::uint32_t last) const {
    const std::uint32_t start = borders_[chunk], end = end_of(chunk), begun = homes_[chunk];
    if (units_.spans[end - 1].start < sections_.spans[begun].end) {
      return begun;
    }
    std::uint32_t best = begun;
    std::uint64_t most = 0, held = 0;
    std::uint32_t section = begun;
    for (std::uint32_t unit = start; unit < end; ++unit) {
      const std::uint32_t before = section;
      while (section + 1 < last && sections_.spans[section + 1].start <= units_.spans[unit].start) {
        ++section;
      }
      held = (section == before ? held : 0) + units_.sizes[unit];
      if (held > most) {
        most = held;
        best = section;
      }
    }
    return best;
  }

  const Text& text_;
  const PackUnits& units_;
  const PackSections& sections_;
  std::uint64_t target_;
  std::uint32_t end_ = 0;               // the units of the group end here
  std::uint64_t size_ = 0;              // of the running chunk; a full one takes nothing more
  std::vector<std::uint32_t> borders_;  // the first unit of each chunk
  std::vector<std::uint32_t> homes_;    // the section each chunk was begun in
};

}  // namespace

Packed pack(const Text& text, const PackUnits& units, const PackSections& sections,
            std::uint64_t target) {
  Packed packed;
  Packer packer(text, units, sections, target);
  const auto count = static_cast<std::uint32_t>(sections.groups.size());
  for (std::uint32_t first = 0; first < count;) {
    std::uint32_t last = first + 1;
    while (last < count && sections.groups[last] == sections.groups[first]) {
      ++last;
    }
    packer.pack(first, last, packed);
    first = last;
  }
  return packed;
}

}  // namespace bridge

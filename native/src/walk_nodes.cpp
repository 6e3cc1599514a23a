// The nodes of a walk, and what the memory is asked for ahead.
#include "walk_parts.h"

namespace bridge {

std::uint32_t Push::chunk_node(std::uint32_t chunk) {
  const auto [node, known] =
      chunk_of_number_.insert(chunk, static_cast<std::uint32_t>(chunks_.size()));
  if (!known) {
    chunks_.push_back(chunk);
    from_chunk_.emplace_back();
  }
  return node;
}

// The node of a name that stands in a chunk or is a title's, or kNowhere.
std::uint32_t Push::name_node(Key key, NameHint hint) {
  const std::uint32_t held = name_of_key_.get(key, kNowhere);
  if (held != kNowhere) {
    return held == kNoName ? kNowhere : held;
  }
  const NameFacts facts = graph_.facts(key, hint);
  const bool stands = facts.chunks > 0 || graph_.known(facts);
  const auto node = static_cast<std::uint32_t>(names_.size());
  name_of_key_.insert(key, stands ? node : kNoName);
  if (!stands) {
    return kNowhere;
  }
  names_.push_back(
      {key, facts, graph_.defined(facts), graph_.walkable(facts), graph_.rarity(facts), hint});
  from_name_.emplace_back();
  return node;
}

// The same for the entry at `place` of a segment; kNowhere for a span of words that is no name.
std::uint32_t Push::stored_name(std::uint32_t segment, std::uint32_t place) {
  const NameIndex& names = *graph_.segment(segment).names;
  if (place >= names.names()) {
    return kNowhere;
  }
  const NameEntry& entry = names.entries()[place];
  // Most spans are neither title nor run: they are no names, unless another segment says otherwise.
  if (graph_.segments() == 1 && entry.title() == kNoTitle && entry.runs() < 2) {
    return kNowhere;
  }
  const std::uint64_t at = (std::uint64_t{segment} << 32) | place;
  const std::uint32_t held = name_of_place_.get(at, kNowhere);
  if (held != kNowhere) {
    return held == kNoName ? kNowhere : held;
  }
  std::uint32_t node = name_node(entry.key, {segment, place});
  if (node != kNowhere && !graph_.known(names_[node].facts)) {
    node = kNowhere;
  }
  name_of_place_.insert(at, node == kNowhere ? kNoName : node);
  return node;
}

// ---- what the memory is asked for ahead: a walk waits for little else

void Push::prefetch_chunks(std::span<const std::uint32_t> nodes) const {
  const auto each = [&](auto visit) {
    for (const std::uint32_t node : nodes) {
      if (!from_chunk_[node]) {
        const auto [segment, chunk] = graph_.at(chunks_[node]);
        visit(*graph_.segment(segment).names, chunk);
      }
    }
  };
  each([](const NameIndex& names, std::uint32_t chunk) { names.prefetch_borders(chunk); });
  each([](const NameIndex& names, std::uint32_t chunk) { names.prefetch_rows(chunk); });
  each([](const NameIndex& names, std::uint32_t chunk) {
    for (const StoredSpan& span : names.spans(chunk)) {
      names.prefetch_entry(span.name);
    }
  });
  each([](const NameIndex& names, std::uint32_t chunk) {
    for (const StoredSpan& span : names.spans(chunk)) {
      names.prefetch_name(span.name);
    }
  });
}

void Push::prefetch_names(std::span<const std::uint32_t> nodes) const {
  for (const std::uint32_t node : nodes) {
    const NameHint hint = names_[node].hint;
    if (!from_name_[node] && hint.segment != kNowhere) {
      graph_.segment(hint.segment).names->prefetch_name(hint.place);
    }
  }
}

}  // namespace bridge

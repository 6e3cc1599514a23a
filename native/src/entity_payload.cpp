#include "entity_payload.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace bridge {
namespace {

constexpr const char* kNoun = "entity index";
constexpr std::uint64_t kMagic = 0x5845444E49544E45;  // "ENTINDEX"
constexpr std::uint32_t kVersion = 2;
constexpr std::uint32_t kXorVersion = 1;  // buckets are a power of two and pair by xor

// Where the sections start; `size` is that of the whole payload.
struct Layout {
  std::size_t buckets, stash, runs, size;
};

Layout layout_of(const EntityHeader& header) {
  Layout at{};
  at.buckets = sizeof(EntityHeader);
  at.stash = at.buckets + header.buckets * sizeof(Bucket);
  at.runs = at.stash + header.stashed * sizeof(Slot);
  at.size = at.runs + padded(header.run_numbers * sizeof(std::uint32_t));
  return at;
}

// The header of a payload of this layout or the one before.
EntityHeader read_either(std::span<const std::byte> payload) {
  std::uint32_t version = kVersion;
  if (payload.size() >= sizeof(EntityHeader)) {
    std::memcpy(&version, payload.data() + offsetof(EntityHeader, version), sizeof(version));
  }
  return read_header<EntityHeader>(payload, kNoun, kMagic,
                                   version == kXorVersion ? kXorVersion : kVersion);
}

// A list of two ids or more becomes a run.
ListHandle write_list(std::span<const AbstractId> ids, std::vector<std::uint32_t>& runs) {
  if (ids.size() == 1) {
    return kInline | ids[0];
  }
  const std::size_t at = runs.size();
  if (at + ids.size() >= kInline) {
    throw std::length_error("the lists have 2^31 ids, the limit");
  }
  runs.push_back(static_cast<std::uint32_t>(ids.size()));
  runs.insert(runs.end(), ids.begin(), ids.end());
  return static_cast<ListHandle>(at);
}

// How many numbers the runs of some entries take.
std::size_t run_numbers(const Entries& entries) {
  std::size_t numbers = 0;
  for (std::size_t e = 0; e < entries.keys.size(); ++e) {
    const std::size_t ids = entries.ids_of(e).size();
    numbers += ids > 1 ? ids + 1 : 0;
  }
  return numbers;
}

}  // namespace

void pack_entities(Entries entries, bool verify, Sink& sink) {
  CuckooTable table(entries.keys.size());
  std::vector<std::uint32_t> runs;
  runs.reserve(run_numbers(entries));
  constexpr std::size_t kAhead = 16;  // buckets asked for before they are needed
  for (std::size_t e = 0; e < entries.keys.size(); ++e) {
    if (e + kAhead < entries.keys.size()) {
      table.view().prefetch(entries.keys[e + kAhead]);
    }
    table.insert(entries.keys[e], write_list(entries.ids_of(e), runs));
  }
  const std::size_t pairs = entries.ids.size();
  entries = {};
  const CuckooView view = table.view();
  const EntityHeader header{kMagic,
                            kVersion,
                            verify,
                            table.size(),
                            pairs,
                            view.buckets().size(),
                            view.stash().size(),
                            runs.size(),
                            0};
  const Layout at = layout_of(header);
  sink.start(at.size);
  sink.write(0, std::as_bytes(std::span(&header, 1)));
  sink.write(at.buckets, std::as_bytes(view.buckets()));
  sink.write(at.stash, std::as_bytes(view.stash()));
  sink.write(at.runs, std::as_bytes(std::span(runs)));
}

Image pack_entities(Entries entries, bool verify) {
  ImageSink sink;
  pack_entities(std::move(entries), verify, sink);
  return sink.take();
}

EntityPayload open_entities(std::span<const std::byte> payload) {
  const auto header = read_either(payload);
  const bool by_xor = header.version == kXorVersion;
  const std::uint64_t most = payload.size();  // no count can be higher; the sums cannot overflow
  const bool paired =
      by_xor ? std::has_single_bit(header.buckets)
             : header.buckets % 2 == 0 && header.buckets > 0 && header.buckets <= UINT32_MAX;
  const bool sane = paired && std::max({header.buckets, header.stashed, header.run_numbers,
                                        header.entities, header.pairs}) <= most;
  if (!sane || most > SIZE_MAX / 128) {
    throw DamagedPayload("entity index payload: impossible counts");
  }
  const Layout at = layout_of(header);
  expect_size(payload, kNoun, at.size);
  const std::span<std::byte> bytes{const_cast<std::byte*>(payload.data()), payload.size()};
  return {header.verify != 0,
          static_cast<std::size_t>(header.entities),
          static_cast<std::size_t>(header.pairs),
          {section<Bucket>(bytes, at.buckets, header.buckets),
           section<Slot>(bytes, at.stash, header.stashed), by_xor, true},
          section<const std::uint32_t>(payload, at.runs, header.run_numbers)};
}

}  // namespace bridge

#include "entity_payload.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "section_writer.h"

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

// The header of a payload whose table is not made yet: it says nothing of that.
EntityHeader count(const EntitySource& source, bool verify) {
  EntityHeader header{kMagic, kVersion, verify, 0, 0, 0, 0, 0, 0};
  source.for_each([&header](Key, std::span<const AbstractId> ids) {
    ++header.entities;
    header.pairs += ids.size();
    header.run_numbers += ids.size() > 1 ? ids.size() + 1 : 0;
  });
  if (header.run_numbers > kInline) {
    throw std::length_error("the lists have 2^31 ids, the limit");
  }
  return header;
}

// A list of two ids or more becomes a run, whose place is `next`.
ListHandle write_list(std::span<const AbstractId> ids, ListHandle& next,
                      SectionWriter<std::uint32_t>& runs) {
  if (ids.size() == 1) {
    return kInline | ids[0];
  }
  const ListHandle at = next;
  runs.push(static_cast<std::uint32_t>(ids.size()));
  runs.append(ids);
  next += static_cast<ListHandle>(ids.size() + 1);
  return at;
}

// Puts all entities into a table, and their longer lists into runs.
void fill(const EntitySource& source, CuckooTable& table, SectionWriter<std::uint32_t>& runs) {
  struct Entity {
    Key key;
    ListHandle list;
  };
  std::array<Entity, 16> waiting;  // while their buckets are on their way
  std::size_t come = 0;
  ListHandle next = 0;
  source.for_each([&](Key key, std::span<const AbstractId> ids) {
    table.view().prefetch(key);
    Entity& entity = waiting[come % waiting.size()];
    if (come++ >= waiting.size()) {
      table.insert(entity.key, entity.list);
    }
    entity = {key, write_list(ids, next, runs)};
  });
  for (std::size_t i = come - std::min(come, waiting.size()); i < come; ++i) {
    table.insert(waiting[i % waiting.size()].key, waiting[i % waiting.size()].list);
  }
  runs.finish();
}

// Writes the payload that a header describes. The table may turn out crowded, and so larger; then
// what is written is void, the header says how large the table is, and false comes back.
bool write_payload(const EntitySource& source, EntityHeader& header, Sink& sink) {
  CuckooTable table(header.entities);
  const CuckooView empty = table.view();
  header.buckets = std::max<std::uint64_t>(header.buckets, empty.buckets().size());
  Layout at = layout_of(header);
  sink.start(at.size);
  SectionWriter<std::uint32_t> runs(sink, at.runs, header.run_numbers);
  fill(source, table, runs);
  const CuckooView full = table.view();
  const bool as_described =
      full.buckets().size() == header.buckets && full.stash().size() == header.stashed;
  header.buckets = full.buckets().size();
  header.stashed = full.stash().size();
  if (as_described) {
    sink.write(0, std::as_bytes(std::span(&header, 1)));
    sink.write(at.buckets, std::as_bytes(full.buckets()));
    sink.write(at.stash, std::as_bytes(full.stash()));
  }
  return as_described && table.size() == header.entities;
}

// Entities that are at hand.
class Listed : public EntitySource {
 public:
  explicit Listed(const Entries& entries) : entries_(entries) {}
  void for_each(const Visit& visit) const override {
    for (std::size_t e = 0; e < entries_.keys.size(); ++e) {
      visit(entries_.keys[e], entries_.ids_of(e));
    }
  }

 private:
  const Entries& entries_;
};

}  // namespace

std::size_t pack_entities(const EntitySource& source, bool verify, Sink& sink) {
  EntityHeader header = count(source, verify);
  if (!write_payload(source, header, sink) && !write_payload(source, header, sink)) {
    throw DamagedPayload("the parts of a merge are no longer what they were");
  }
  return header.entities;
}

Image pack_entities(const Entries& entries, bool verify) {
  ImageSink sink;
  pack_entities(Listed(entries), verify, sink);
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

// Goes through the entities of several indexes as if they were one, without a sorted copy of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bridge/entity_index.h"
#include "bridge/renumber.h"
#include "bridge/sink.h"
#include "entity_payload.h"

namespace bridge {

// The tables have no order, so the keys are cut into equal ranges, and the entities of one range
// after another collected from all tables and sorted. Keys are hashes: ranges are about as large.
//
// Memory: about 20 bytes an entity of a range; a range is 4 MiB, or an eighth of all.
class MergedEntities : public EntitySource {
 public:
  // Requires: |parts| == |maps|, and all of it outlives this.
  MergedEntities(std::span<const EntityIndex* const> parts, std::span<const Renumbering> maps,
                 Pace& pace);

  // Those that keep an abstract, under its new numbers. Throws DamagedPayload by
  // `EntityIndex::entries`, or where a part holds an abstract that its map lacks.
  void for_each(const Visit& visit) const override;

 private:
  struct Row {
    Key key;
    std::uint32_t part;
    ListHandle list;
  };

  void gather(std::size_t range) const;
  void sort_rows(int bits) const;
  std::span<const AbstractId> ids_of(std::uint32_t part, ListHandle list) const;
  void append_kept(std::span<const AbstractId> ids, Renumbering map,
                   std::vector<AbstractId>& kept) const;

  std::span<const EntityIndex* const> parts_;
  std::span<const Renumbering> maps_;
  Pace& pace_;
  std::size_t ranges_;  // a power of two

  mutable std::vector<Row> rows_;
  mutable std::optional<std::size_t> gathered_;  // which range they are of
  mutable std::vector<AbstractId> ids_;
};

}  // namespace bridge

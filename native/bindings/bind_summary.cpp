#include <utility>

#include "arrays.h"
#include "bridge/summary.h"

using namespace nb::literals;

void bind_summary(nb::module_& m) {
  using Numbers = Vec<const std::uint32_t>;
  m.def(
      "pick",
      [](Vec<const double> scores, Numbers sizes, Numbers offsets, Numbers words,
         Vec<const std::uint8_t> is_leaf, Numbers first, Numbers count, Numbers room) {
        const bridge::ScoredSentences sentences{view(scores), view(sizes), view(offsets),
                                                view(words)};
        const bridge::SummaryTree tree{view(is_leaf), view(first), view(count), view(room)};
        if (const char* problem = bridge::check(sentences, tree)) {
          throw nb::value_error(problem);
        }
        bridge::Picked picked;
        {
          const nb::gil_scoped_release nogil;
          picked = bridge::pick(sentences, tree);
        }
        return nb::make_tuple(to_numpy(std::move(picked.sentences)),
                              to_numpy(std::move(picked.borders)));
      },
      "scores"_a, "sizes"_a, "offsets"_a, "words"_a, "is_leaf"_a, "first"_a, "count"_a, "room"_a,
      "The sentences that summarise each abstract, and where those of each begin.");
}

"""Ask every question of every method, and store what comes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bridgerag.engine import Bridge
from bridgerag.errors import BridgeError
from bridgerag.evaluation.answering import Generator
from bridgerag.evaluation.judging import Judge
from bridgerag.evaluation.questions import QuestionItem
from bridgerag.evaluation.ranking import unique
from bridgerag.evaluation.records import Outcome
from bridgerag.evaluation.results import RunFolder
from bridgerag.evaluation.scope import by_scope
from bridgerag.evaluation.variants import Variant
from bridgerag.protocols import Progress
from bridgerag.types import Context, Footprint

__all__ = ["Asker", "ask_all"]


@dataclass(frozen=True, slots=True)
class Asker:
    """What is the same for every method.

    Attributes:
        bridges: the engines by the names of their stores.
        k: chunks to find.
    """

    bridges: Mapping[str, Bridge]
    generator: Generator
    judge: Judge
    k: int

    def prepare(self, variant: Variant, where: str | None) -> Footprint:
        """Build what the method needs beside the store, and return what it cost."""
        return self.bridges[variant.store].prepare(variant.method, where)

    def search(self, variant: Variant, item: QuestionItem, where: str | None) -> Context:
        """Return what a method finds."""
        return self.bridges[variant.store].search(
            item.question, k=self.k, depth=variant.depth, method=variant.method, where=where
        )

    def outcome(
        self, variant: Variant, item: QuestionItem, found: Context, cost: Footprint | None
    ) -> Outcome:
        """Return what came of a question once its search is done: prompt, answer, metrics."""
        prompt = self.generator.prompt(found)
        answer = self.generator.answer(found, prompt)
        ranked = unique(hit.document.id for hit in found.hits)
        timings = dict(found.timings_ms)
        timings["total"] -= timings.pop("embed")  # the vector may come out of memory
        return Outcome(
            variant.label,
            item.id,
            tuple(ranked),
            tuple((hit.document.id, hit.chunk, float(hit.score)) for hit in found.hits),
            {
                **self.judge.metrics(item, ranked, prompt, answer),
                "fallback": float(found.fallback),
            },
            answer,
            timings,
            cost,
        )


def ask_all(
    results: RunFolder,
    questions: Sequence[QuestionItem],
    methods: Sequence[Variant],
    asker: Asker,
    progress: Progress | None,
) -> dict[str, BridgeError]:
    """Store the outcomes that are not stored yet; return why methods had to be left out, by label.

    Questions are asked scope by scope, so that indexes are built once a scope.

    Raises:
        ModelError: the generator failed; what was answered before is stored.
    """
    stored = results.done()
    failed: dict[str, BridgeError] = {}
    done, total = 0, len(methods) * len(questions)
    for where, items in by_scope(questions):
        for variant in methods:
            new = {item.id for item in items if (variant.label, item.id) not in stored}
            cost: Footprint | None = None
            try:
                if new and variant.label not in failed:
                    cost = asker.prepare(variant, where)
            except BridgeError as error:
                failed[variant.label] = error
            for item in items:
                done += 1
                if item.id in new and variant.label not in failed:
                    try:
                        found = asker.search(variant, item, where)
                    except BridgeError as error:
                        failed[variant.label] = error
                        continue
                    first = item is items[0]
                    results.append(asker.outcome(variant, item, found, cost if first else None))
                if progress is not None:
                    progress("questions", done, total)
    return failed

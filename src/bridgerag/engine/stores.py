"""Open stores together with the model they were embedded by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bridgerag.embedding import open_embedder
from bridgerag.entities import QuestionWords, question_words
from bridgerag.errors import InputError, StoreMissing
from bridgerag.protocols import Embedder, Parts, Recognizer
from bridgerag.retrieval import Question, Timings
from bridgerag.settings import Settings
from bridgerag.store import Snapshot, Sources, Store, Where
from bridgerag.types import Vector

if TYPE_CHECKING:
    from bridgerag.store.writer import Writer

__all__ = ["Asker", "Stores"]


class Stores:
    """One store to read and write, or several to read as one. Opened when first needed."""

    def __init__(
        self,
        path: Path,
        settings: Mapping[str, str | int | float],
        embedder: Embedder | None,
        others: Sequence[Path] = (),
        recognizer: Recognizer | None = None,
    ) -> None:
        """Open nothing yet; ``settings`` are those that are asked for, by name."""
        self.path = path
        self._settings = dict(settings)
        self._embedder = embedder
        self._given = embedder is not None
        self._recognizer = recognizer
        self._store: Store | None = None
        self._others = [Stores(other, settings, embedder) for other in others]

    def close(self) -> None:
        """Close what is open; the next call opens it again."""
        if self._store is not None:
            self._store.close()
            self._store = None
        for other in self._others:
            other.close()

    def reading(self, where: Where | None = None) -> AbstractContextManager[Snapshot]:
        """Give one snapshot of all stores."""
        return self._reading_all(where) if self._others else self.open().reading(where)

    @contextmanager
    def _reading_all(self, where: Where | None) -> Iterator[Snapshot]:
        stores = [self.open(), *(other.open() for other in self._others)]
        with ExitStack() as stack:
            yield Snapshot([stack.enter_context(store.viewing(where)) for store in stores])

    @contextmanager
    def writing(self, store: Store) -> Iterator[tuple[Writer, Sources]]:
        """Give the writer of the only store there is; `InputError` when there are several."""
        self.expect_one()
        with store.writing() as tools:
            yield tools

    def expect_one(self) -> None:
        """Raise `InputError` when there are several stores, which cannot be written to as one."""
        if self._others:
            raise InputError("the number of stores", 1 + len(self._others), "1 to write to")

    def open(self) -> Store:
        """Return the (first) store; `StoreMissing` when nothing was added yet."""
        if self._store is None:
            store = Store(self.path)
            _expect_settings(self._settings, store.settings)
            if self._embedder is not None:
                store.expect_model(self._embedder)
            self._store = store
        return self._store

    def open_or_create(self) -> Store:
        """Return the (first) store, made if need be."""
        try:
            return self.open()
        except StoreMissing:
            settings = Settings(**self._settings)  # type: ignore[arg-type]  # checked there
            if self._embedder is None:
                self._embedder = open_embedder(settings.embedding)
            Store.create(self.path, settings, self._embedder).close()
            return self.open()

    def model(self, store: Store) -> Embedder:
        """Return the store's embedder, another one when the store was embedded anew meanwhile."""
        found = self._embedder
        outdated = found is not None and found.fingerprint != store.meta["embedding_fingerprint"]
        if found is None or (outdated and not self._given):
            found = open_embedder(store.settings.embedding)
        store.expect_model(found)
        self._embedder = found
        return found

    @contextmanager
    def asking(
        self, question: str, where: Where | None, timings: Timings
    ) -> Iterator[tuple[Snapshot, Question]]:
        """Give a snapshot, and the question embedded by the model of that snapshot."""
        with timings.stage("recognize"):
            words = question_words(question)
        while True:
            with timings.stage("embed"):
                asker = self._asker()
                (vector,) = asker.vectors([question])
            with self.reading(where) as snapshot:
                if snapshot.models == {asker.embedder.fingerprint}:
                    yield snapshot, asker.question(words, vector)
                    return

    @contextmanager
    def asking_many(
        self, count: int, where: Where | None
    ) -> Iterator[tuple[Asker, list[Snapshot]]]:
        """Give ``count`` snapshots of one moment, one a thread, and what embeds by their model."""
        while True:
            asker = self._asker()
            with ExitStack() as stack:
                snapshots = [stack.enter_context(self.reading(where)) for _ in range(count)]
                same = {snapshot.generations for snapshot in snapshots}
                if len(same) == 1 and snapshots[0].models == {asker.embedder.fingerprint}:
                    yield asker, snapshots
                    return

    def _asker(self) -> Asker:
        embedder = self.model(self.open())
        for other in self._others:
            other.open().expect_model(embedder)
        return Asker(embedder, self._recognizer)

    def took_over(self, embedder: Embedder, given: bool) -> None:
        """Go on with the model that the store has just been embedded by anew."""
        with self.open().reading():
            pass  # the store takes over what was recorded
        self._embedder, self._given = embedder, given
        self._settings.pop("embedding", None)


@dataclass(frozen=True, slots=True)
class Asker:
    """Makes questions of texts."""

    embedder: Embedder
    recognizer: Recognizer | None

    def vectors(self, texts: Sequence[str]) -> Sequence[Vector | None]:
        """Return the vectors of some texts, embedded together."""
        return list(self.embedder.embed(texts)) if self.embedder.dim else [None] * len(texts)

    @property
    def parts(self) -> Parts | None:
        """Return what parts the embedding of some texts, if the embedder has it."""
        return getattr(self.embedder, "parts", None)

    def question(self, words: QuestionWords, vector: Vector | None) -> Question:
        """Return the question of those words with its vector."""
        embed = None if vector is None else self.embed
        return Question(words.text, words, vector, self.recognizer, embed)

    def embed(self, text: str) -> Vector:
        """Return the vector of another text."""
        vector: Vector = self.embedder.embed([text])[0]
        return vector


def _expect_settings(asked: Mapping[str, str | int | float], built: Settings) -> None:
    for name, value in asked.items():
        if value != getattr(built, name):
            raise InputError(name, value, f"{getattr(built, name)!r}, as the store was built")

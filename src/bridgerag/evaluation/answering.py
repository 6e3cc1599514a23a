"""One prompt for every method, and the answer that a generator gives to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from bridgerag.generation import OpenAIWriter, writer_from_environment
from bridgerag.generation.citations import clean_markers
from bridgerag.generation.prompt import Message, Prompt, build_prompt
from bridgerag.protocols import AnswerWriter, Embedder, TokenCounter
from bridgerag.types import Context

__all__ = ["Generator", "open_generator", "shown_texts"]

_ANSWER_TOKENS = 600
_CLOSED_BOOK = """\
Answer the question from what you know, briefly and in the language of the question. When you do not
know, say so plainly and stop."""
_EMPTY = Context("", "", 0, (), (), (), False, {})


@dataclass(frozen=True, slots=True)
class Generator:
    """Makes prompts and answers, the same way for every method.

    Attributes:
        name: ``"none"``, ``"extractive"``, or the model's.
    """

    name: str
    budget_tokens: int
    _count: TokenCounter
    _answer: Callable[[Context, Prompt], str] | None

    def prompt(self, context: Context) -> Prompt:
        """Return the prompt for what a search found, within the budget."""
        return build_prompt(context, self._count, self.budget_tokens)

    def answer(self, context: Context, prompt: Prompt) -> str | None:
        """Return the answer without citation markers; None from the generator ``"none"``.

        It is made of what the prompt shows and of nothing else that was found: the entities of the
        question, which the extractive writer would weigh, are known to some methods only.

        Raises:
            ModelError: the server did not answer as it should.
        """
        if self._answer is None:
            return None
        hits = tuple(passage.hit for passage in prompt.passages)
        shown = replace(context, hits=hits, entities=())
        text, _ = clean_markers(self._answer(shown, prompt), ())
        return " ".join(text.split())


def open_generator(name: str, embedder: Embedder, budget_tokens: int) -> Generator:
    """Return the generator called ``name``.

    Args:
        name: ``"extractive"`` (sentences of the passages), ``"none"``, or a model of an
            OpenAI-compatible server, as `Bridge.ask` takes it: ``"MODEL"`` or ``"MODEL@URL"``.
        embedder: counts the tokens of prompts, and ranks the sentences of extractive answers.
        budget_tokens: for a prompt, instructions and question included.

    Raises:
        InputError: the budget is too small for any prompt, or the address is no URL.
        ModelError: OpenAI itself is meant, and there is no key.
    """
    count = embedder.count_tokens
    build_prompt(_EMPTY, count, budget_tokens)  # says when the budget is too small
    if name == "none":
        return Generator(name, budget_tokens, count, None)
    writer = writer_from_environment(name, embedder)
    if not isinstance(writer, OpenAIWriter):
        return Generator(name, budget_tokens, count, lambda shown, _: _extracted(writer, shown))
    chat = writer.chat

    def ask(shown: Context, prompt: Prompt) -> str:
        messages = prompt.messages if shown.hits else _closed_book(shown.question)
        return chat.ask(messages, _ANSWER_TOKENS).text

    return Generator(writer.model, budget_tokens, count, ask)


def shown_texts(prompt: Prompt) -> str:
    """Return what a prompt shows of the documents: titles, headings, passages, the overview.

    Neither the question nor anything that we put there, such as the passages' numbers.
    """
    parts: list[str] = []
    for passage in prompt.passages:
        parts += [passage.hit.document.title, *passage.hit.headings, passage.hit.text]
    body = prompt.messages[-1].content
    mark = body.split(maxsplit=2)[1]  # of the fences; it occurs nowhere else
    _, _, after = body.partition(f"<<< {mark} overview\n")
    return "\n".join([*parts, after.partition(f"\n{mark} >>>")[0]])


def _extracted(writer: AnswerWriter, shown: Context) -> str:
    """Return the passages' best sentences; nothing where there is no passage.

    That no passage was found is no answer, and as a short one it would please a metric.
    """
    return writer.write(shown).text if shown.hits else ""


def _closed_book(question: str) -> tuple[Message, ...]:
    """Return a prompt for a model that was shown nothing: it may answer from memory."""
    return Message("system", _CLOSED_BOOK), Message("user", question)

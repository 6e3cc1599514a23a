"""Answers written by a language model behind any server that speaks OpenAI's chat completions."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import closing

from bridgerag.errors import InputError
from bridgerag.generation.chat import Chat, Reply
from bridgerag.generation.citations import resolve
from bridgerag.generation.extractive import NO_PASSAGE
from bridgerag.generation.live import LiveText
from bridgerag.generation.prompt import ANSWER, Prompt, Task, build_prompt
from bridgerag.protocols import TokenCounter
from bridgerag.types import Answer, Context

__all__ = ["OpenAIWriter"]

_TOKEN = re.compile(r"[a-zA-Z0-9]{1,5}|[^\sa-zA-Z0-9]")


class OpenAIWriter:
    """Has a language model write the answer, and checks its citations.

    Nothing is sent before `write`. Timeouts, refused connections and the statuses 408, 409, 429
    and 5xx are tried again, after the wait that the server asks for; a stream that has begun is
    not, because its text is already shown. One writer may serve many threads.
    """

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        count_tokens: TokenCounter | None = None,
        budget_tokens: int = 3000,
        max_answer_tokens: int = 600,
        timeout_s: float = 60.0,
        retries: int = 2,
    ) -> None:
        """Remember how to reach the model.

        Args:
            model: the name that the server knows it by.
            base_url: for example ``http://localhost:11434/v1``; None for OpenAI itself.
            api_key: may be left out for a server that asks for none.
            count_tokens: None for an estimate from the letters that errs on the high side.
            budget_tokens: for the prompt; see `build_prompt`.
            max_answer_tokens: what the model may write.
            timeout_s: seconds to wait for a connection, and for each next byte.
            retries: further tries after the first.

        Raises:
            InputError: the address is no http or https URL.
            ModelError: OpenAI itself is meant, and there is no key.
        """
        self.model = model
        self.chat = Chat(model, base_url, api_key, timeout_s, retries)
        self._count_tokens = _estimate_tokens if count_tokens is None else count_tokens
        self._budget_tokens, self.max_answer_tokens = budget_tokens, max_answer_tokens

    def write(self, context: Context, on_text: Callable[[str], None] | None = None) -> Answer:
        """Return the model's answer; each marker left in it resolves to a passage it was shown.

        With ``on_text`` the answer is streamed. Without hits no model is asked.

        Raises:
            InputError: the budget does not hold the first passage.
            MissingExtra: the package ``openai`` is not installed.
            ModelError: the server did not give a whole answer.
        """
        if not context.hits:
            if on_text is not None:
                on_text(NO_PASSAGE)
            return Answer(NO_PASSAGE, (), context, self.model)
        prompt = self.prompt(context)
        if not prompt.passages:
            raise InputError("budget_tokens", self._budget_tokens, "enough for one passage")
        reply = self._ask(prompt, on_text)
        text, citations, notes = resolve(reply.text.strip(), prompt.passages)
        if reply.finish == "length":
            notes = (f"the answer was cut at {self.max_answer_tokens} tokens", *notes)
        all_notes = (*prompt.notes, *notes)
        return Answer(text, citations, context, self.model, all_notes, self.spent(prompt, reply))

    def prompt(self, context: Context, task: Task = ANSWER, asked: Sequence[str] = ()) -> Prompt:
        """Return the prompt for a context within this writer's budget, as `build_prompt` does."""
        return build_prompt(
            context, self._count_tokens, self._budget_tokens, task=task, asked=asked
        )

    def spent(self, prompt: Prompt, reply: Reply) -> dict[str, int]:
        """Return what a call cost: ``prompt_tokens``, ``completion_tokens`` and ``calls``."""
        return {
            "prompt_tokens": prompt.tokens,
            "completion_tokens": self._count_tokens(reply.text),
            **(reply.usage or {}),  # the server's own counts, where it gives them
            "calls": 1,
        }

    def _ask(self, prompt: Prompt, on_text: Callable[[str], None] | None) -> Reply:
        if on_text is None:
            return self.chat.ask(prompt.messages, self.max_answer_tokens)
        reply = Reply()
        live = LiveText(on_text, (passage.number for passage in prompt.passages))
        with closing(self.chat.stream(prompt.messages, self.max_answer_tokens, reply)) as pieces:
            for piece in pieces:
                live.feed(piece)
        live.close()
        return reply


def _estimate_tokens(text: str) -> int:
    return sum(1 for _ in _TOKEN.finditer(text))

"""Talk to a server that speaks OpenAI's chat completions, and say plainly what went wrong."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import Any

from bridgerag.errors import InputError, MissingExtra, ModelError
from bridgerag.generation.prompt import Message

__all__ = ["Chat", "Reply"]

_OPENAI = "https://api.openai.com/v1"
_PASSWORD = re.compile(r"//[^/@]*@")

# Options that some servers refuse, and the name under which they may take them (None: do without).
_OTHER_NAME: Mapping[str, str | None] = {
    "max_tokens": "max_completion_tokens",
    "temperature": None,
    "stream_options": None,
}
_REFUSED = (400, 422)
_ABOUT_KEYS = (401, 403)  # the server's words are left out: they may hold a part of the key
_BY_STATUS: Mapping[int, tuple[str, str]] = {
    401: ("the server refused the API key", "set BRIDGERAG_API_KEY to a valid one"),
    403: ("the server refused the API key", "set BRIDGERAG_API_KEY to one that may use the model"),
    404: (
        "the server does not know this model or address",
        "check the model's name, and that the address ends as the server expects (/v1)",
    ),
    429: ("that is over the server's limit", "wait, or raise the limit"),
}
_SHOWN_LENGTH = 300  # of a server's own words in a message


@dataclass(slots=True)
class Reply:
    """What a model wrote.

    Attributes:
        finish: the server's word for why it ended: ``"stop"``, ``"length"``, ...; None: unknown.
        usage: the server's own count of tokens, empty when it gave none.
    """

    text: str = ""
    finish: str | None = None
    usage: Mapping[str, int] | None = None


class Chat:
    """One model behind one server. Nothing is sent, or imported, before the first question."""

    def __init__(
        self, model: str, base_url: str | None, api_key: str | None, timeout_s: float, retries: int
    ) -> None:
        """Remember how to reach the model; the arguments are those of `OpenAIWriter`."""
        if base_url is not None and not base_url.startswith(("http://", "https://")):
            raise InputError("base_url", base_url, "a URL that starts with http:// or https://")
        self._model, self._base_url = model, base_url or _OPENAI
        self._place = f"{model} at {_PASSWORD.sub('//', self._base_url)}"
        if base_url is None and not api_key:
            raise ModelError(
                self._place,
                "there is no API key for it",
                "set BRIDGERAG_API_KEY, or name another server with BRIDGERAG_BASE_URL",
            )
        self._api_key = api_key or "none"
        self._timeout_s, self._retries = timeout_s, retries

    def ask(self, messages: Sequence[Message], max_tokens: int) -> Reply:
        """Return the whole answer."""
        options = self._options(messages, max_tokens)
        with self._failures_told():
            response = self._send(options)
            choice = response.choices[0]
            text = choice.message.content or ""
            reply = Reply(text, choice.finish_reason, _tokens(response))
        self._check_text(reply)
        return reply

    def stream(
        self, messages: Sequence[Message], max_tokens: int, reply: Reply
    ) -> Generator[str, None, None]:
        """Yield the answer piece by piece, filling ``reply`` on the way.

        What the consumer raises passes through unchanged.
        """
        options = self._options(messages, max_tokens)
        options |= {"stream": True, "stream_options": {"include_usage": True}}
        with self._failures_told(reply), closing(self._send(options)) as chunks:
            for chunk in chunks:
                reply.usage = _tokens(chunk) or reply.usage
                for choice in chunk.choices[:1]:
                    reply.finish = choice.finish_reason or reply.finish
                    if choice.delta.content:
                        reply.text += choice.delta.content
                        yield choice.delta.content
        if reply.finish is None:
            raise self._cut_short(reply, "the server did not say that it had finished")
        self._check_text(reply)

    def _options(self, messages: Sequence[Message], max_tokens: int) -> dict[str, Any]:
        return {
            "model": self._model,
            "messages": [{"role": m.role, "content": m.content} for m in messages],
            "temperature": 0,
            "max_tokens": max_tokens,
        }

    def _send(self, options: dict[str, Any]) -> Any:  # noqa: ANN401 - depends on the options
        """Send, without or with a renamed option where the server refuses one by name."""
        while True:
            try:
                return self._client.chat.completions.create(**options)
            except self._openai.APIStatusError as error:
                refused = [n for n in _OTHER_NAME if n in options and n in str(error)]
                if error.status_code not in _REFUSED or not refused:
                    raise
                value = options.pop(refused[0])
                if name := _OTHER_NAME[refused[0]]:
                    options[name] = value

    @cached_property
    def _openai(self) -> ModuleType:
        try:
            import openai  # noqa: PLC0415 - a third of a second, and an extra
        except ImportError as error:
            raise MissingExtra("writing answers with a language model", "openai") from error
        return openai

    @cached_property
    def _client(self) -> Any:  # noqa: ANN401
        return self._openai.OpenAI(
            base_url=self._base_url,
            api_key=self._api_key,
            timeout=self._timeout_s,
            max_retries=self._retries,
        )

    def _check_text(self, reply: Reply) -> None:
        if not reply.text.strip():
            raise ModelError(
                self._place,
                f"it wrote nothing (it ended with {reply.finish!r})",
                "allow it more answer tokens, or name another model",
            )

    def _cut_short(self, reply: Reply, why: str) -> ModelError:
        return ModelError(
            self._place,
            f"the answer broke off after {len(reply.text)} characters ({why})",
            "ask again; if it happens often, look at the server's log and its limits",
        )

    @contextmanager
    def _failures_told(self, reply: Reply | None = None) -> Iterator[None]:
        """Translate everything that goes wrong on the way to the server and back.

        All exceptions, because the client lets those of its HTTP library, of the JSON decoder and
        of missing fields through, and none of them is ours.
        """
        try:
            yield
        except (MissingExtra, ModelError):
            raise
        except Exception as error:
            problem, remedy = self._problem_and_remedy(error)
            if reply is not None and reply.text:
                raise self._cut_short(reply, problem) from error
            raise ModelError(self._place, problem, remedy) from error

    def _problem_and_remedy(self, error: Exception) -> tuple[str, str]:
        tries = f"{self._retries + 1} tries" if self._retries else "1 try"
        words = " ".join(str(error).split())[:_SHOWN_LENGTH]
        status = getattr(error, "status_code", None)
        if status is not None:
            problem, remedy = _BY_STATUS.get(status, ("the server failed", "see the server's log"))
            detail = "" if status in _ABOUT_KEYS else f", {words}"
            return f"{problem} (status {status}{detail})", remedy
        if "Timeout" in type(error).__name__:  # of the client, or of the HTTP library under it
            return (
                f"nothing came for {self._timeout_s:g} s ({tries})",
                "is the model loaded? allow it more time, or name a smaller model",
            )
        if isinstance(error, self._openai.APIConnectionError):
            return f"the server cannot be reached ({tries})", "is it up, and is the address right?"
        return (
            f"what came back is no chat completion ({type(error).__name__}: {words})",
            "is it a server that speaks OpenAI's API, and does the address end in /v1?",
        )


def _tokens(response: Any) -> dict[str, int]:  # noqa: ANN401
    """Return the counts that a response or a chunk carries, empty when it has none."""
    usage = getattr(response, "usage", None)
    names = ("prompt_tokens", "completion_tokens")
    counts = {name: getattr(usage, name, None) for name in names}
    return {name: count for name, count in counts.items() if isinstance(count, int)}

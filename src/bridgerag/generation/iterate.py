"""Answer in rounds: search, have the model name what is missing, search for that, and so on.

In the manner of IRCoT (Trivedi et al. 2023, "Interleaving retrieval with chain-of-thought
reasoning"), which searches by each sentence of a growing chain of thought. Here the model writes
one short question a round in its place, so that a round costs few tokens and people can read what
was searched for.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from bridgerag.errors import InputError, ModelError
from bridgerag.generation.citations import clean_markers
from bridgerag.generation.openai_compatible import OpenAIWriter
from bridgerag.generation.prompt import FENCE_RULE, Task
from bridgerag.protocols import AnswerWriter
from bridgerag.types import Answer, Context, EntityMatch, Hit

__all__ = ["MOST_ROUNDS", "merged", "read_follow_up", "write_in_rounds"]

MOST_ROUNDS = 8

_MISSING = Task(
    f"""\
You find out what is missing to answer a question from numbered passages of the user's documents.
- Work out which facts the question needs, one after the other, and which of them stand in the
  passages.
- When all of them do, reply with the single word NOTHING.
- Else reply with one short question that asks for the first fact that is missing, to be searched
  for in the same documents. Spell out the names that the passages give in place of "he" or "that
  film". Do not ask what was asked already.
- Write nothing else: no answer, no explanation, one line.
{FENCE_RULE}""",
    "What is missing to answer the question? One short question, or NOTHING.",
)
_LONGEST = 300  # characters of a follow-up question

_THOUGHTS = re.compile(r"\A.*</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_UNSENDABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")
_AROUND = " \t\"'`*_#>•-–“”«»„"  # quotation marks, list marks, Markdown
_NOTHING = re.compile(r"nothing\b[^?？؟]*|(?:none|no)(?:\W+\w+){0,3}[^\w?？؟]*", re.IGNORECASE)


def write_in_rounds(
    writer: AnswerWriter,
    context: Context,
    search: Callable[[str], Context],
    rounds: int,
    on_text: Callable[[str], None] | None = None,
) -> Answer:
    """Return the answer from ``context`` and from what follow-up questions find.

    A round is one more call of the model, for a follow-up question, and one more search. The rounds
    end early when the model says that nothing is missing, asks again what was asked, or writes
    what is no question; a call that fails ends them too. The answer's notes say so, and the
    answer is then written from what was found.

    Args:
        context: what the question itself found: round 1.
        search: finds passages for a follow-up question.
        rounds: at most so many searches, the first included; 1 asks nothing further.

    Raises:
        InputError: more than one round without a language model. Otherwise as ``writer``.
    """
    if rounds == 1:
        return writer.write(context, on_text)
    if not isinstance(writer, OpenAIWriter):
        raise InputError(
            "rounds", rounds, "1 without a language model; name one by --model or BRIDGERAG_MODEL"
        )
    found, spent, notes = [context], Counter[str](), list[str]()
    asked: list[str] = []
    whole = context
    while len(found) < rounds and whole.hits:
        try:
            prompt = writer.prompt(whole, _MISSING, asked)
            reply = writer.chat.ask(prompt.messages, writer.max_answer_tokens)
        except (InputError, ModelError) as error:
            notes.append(f"no further round: {error}")
            break
        spent.update(writer.spent(prompt, reply))
        follow_up, why_not = _next(reply.text, [context.question, *asked])
        if not follow_up:
            notes.append(f"no round {len(found) + 1}: {why_not}")
            break
        asked.append(follow_up)
        found.append(search(follow_up))
        whole = merged(found)
    answer = writer.write(whole, on_text)
    spent.update(answer.usage)
    return replace(answer, notes=(*notes, *answer.notes), usage=dict(spent))


def merged(found: Sequence[Context]) -> Context:
    """Return the contexts of several rounds as one, under the first one's question.

    Ranks are interleaved: the best hit of each round in the order of the rounds, then the second
    best, and so on, because scores for different questions cannot be compared. A hit that several
    rounds found stands where it ranks best; its score, reasons and ``round`` are those of the
    round that found it first. Times are added up.
    """
    first = found[0]
    hits: dict[tuple[str, int, int, str], Hit] = {}
    places: dict[tuple[str, int, int, str], tuple[int, int]] = {}
    entities: dict[str, EntityMatch] = {}
    for number, context in enumerate(found, start=1):
        for entity in context.entities:
            entities.setdefault(entity.text, entity)
        for hit in context.hits:
            key = hit.document.id, hit.start, hit.end, hit.text  # ids may meet in two stores
            hits.setdefault(key, replace(hit, round=number))
            place = hit.rank, number
            places[key] = min(place, places.get(key, place))
    order = sorted(hits, key=places.__getitem__)
    return replace(
        first,
        entities=tuple(entities.values()),
        hits=tuple(replace(hits[key], rank=rank) for rank, key in enumerate(order, start=1)),
        abstracts=tuple(dict.fromkeys(note for context in found for note in context.abstracts)),
        timings_ms={
            stage: sum(context.timings_ms.get(stage, 0.0) for context in found)
            for stage in first.timings_ms
        },
        background=tuple(dict.fromkeys(text for context in found for text in context.background)),
        follow_ups=tuple(context.question for context in found[1:]),
    )


def read_follow_up(text: str) -> str:
    """Return the question in a model's reply on one line, "" when it says that nothing is missing.

    Thoughts before ``</think>``, citation markers and the signs around a line are left out. Of
    several lines it is the first with a question mark at its end, else the first. What is too long
    is cut.
    """
    plain, _ = clean_markers(_THOUGHTS.sub("", text), ())
    lines = [_UNSENDABLE.sub(" ", line).strip(_AROUND) for line in plain.splitlines()]
    lines = [" ".join(line.split()) for line in lines if any(map(str.isalnum, line))]
    if not lines or _NOTHING.fullmatch(lines[0]):
        return ""
    line = next((line for line in lines if line[-1] in "?？؟"), lines[0])
    if len(line) > _LONGEST:
        line = line[:_LONGEST].rpartition(" ")[0] or line[:_LONGEST]
    return line


def _next(reply: str, asked: Sequence[str]) -> tuple[str, str]:
    """Return the next question to search for; or "", and why there is none."""
    follow_up = read_follow_up(reply)
    if not follow_up:
        return "", "the model names nothing that is missing"
    if _key(follow_up) in map(_key, asked):
        return "", "the model asked again what was asked already"
    return follow_up, ""


def _key(question: str) -> str:
    return " ".join(re.findall(r"\w+", question.casefold()))

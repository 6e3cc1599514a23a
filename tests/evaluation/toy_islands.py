"""Twenty documents about islands that do not exist, and thirty questions about them."""

import json
from pathlib import Path

NAMES = (
    "Alvera", "Bonmar", "Cassily", "Dorvane", "Eskray", "Fenwith", "Galdor", "Harrowey", "Istrel",
    "Jorvena", "Keldan", "Lomasay", "Morvane", "Nestrel", "Orvilla", "Pendrey", "Quorin",
    "Rastavel", "Silvane", "Tormund",
)  # fmt: skip
FOUNDERS = tuple(f"{first} {last}" for first in ("Ilse", "Bram", "Odo", "Tess") for last in (
    "Varrow", "Pellix", "Okonda", "Ureno", "Quill"
))  # fmt: skip


def document(number: int) -> dict[str, str]:
    island, founder = NAMES[number], FOUNDERS[number]
    text = (
        f"{island} is an island in the northern sea. It was settled by {founder} long ago. "
        f"Its harbour holds {200 + 7 * number} boats, and its people weave sails. "
        f"{founder} came from {NAMES[(number + 1) % 20]} with nine families. "
        "The winters are mild there, and nobody hurries."
    )
    return {"id": f"island-{number:02}", "title": island, "text": text}


def questions(gold: bool) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for number in range(30):
        place, about_boats = number % 20, number >= 20
        asked = f"How many boats does the harbour of {NAMES[place]} hold?"
        if not about_boats:
            asked = f"By whom was the island {NAMES[place]} settled?"
        row: dict[str, object] = {
            "id": f"q{number:02}",
            "question": asked,
            "answers": [str(200 + 7 * place) if about_boats else FOUNDERS[place]],
        }
        if gold:
            row |= {"gold_ids": [f"island-{place:02}"], "type": "boats" if about_boats else "who"}
        rows.append(row)
    return rows


def write_corpus(folder: Path) -> Path:
    """Write a folder in the form of benchmark data, with gold ids."""
    folder.mkdir()
    _write_lines(folder / "corpus.jsonl", [document(number) for number in range(20)])
    _write_lines(folder / "questions.jsonl", questions(gold=True))
    return folder


def write_outsider(folder: Path) -> Path:
    """Write what somebody has: twenty text files, and questions with answers beside them."""
    folder.mkdir()
    for number in range(20):
        row = document(number)
        (folder / f"{row['title'].lower()}.txt").write_text(f"{row['text']}\n", encoding="utf-8")
    _write_lines(folder / "questions.jsonl", questions(gold=False))
    return folder


def _write_lines(path: Path, rows: list[dict[str, object]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")

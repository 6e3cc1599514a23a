"""How passages and sources are put in words."""

from dataclasses import replace

from bridgerag.cli.passages import found_line, hit_text, source_lines
from bridgerag.types import Answer, Citation, DocumentRef, EntityMatch, Reason

HOSTILE = "\x1b]0;owned\x07[red]x[/red]\r"


def unstyled(text: str) -> str:
    return text.replace("\x1b[1m", "").replace("\x1b[0m", "")


def test_a_hit_shows_rank_score_title_place_text_and_reasons(hit):
    shown = unstyled(hit_text(hit(page=3, row=7, headings=("Domes", "Opening"))))
    assert shown.splitlines() == [
        " 1  0.500  Handbook",
        "    /a/handbook.md: page 3, row 7, Domes > Opening, characters 10-35",
        "    | Turn the brass key twice.",
        "    why: names brass key",
    ]


def test_nothing_in_a_hit_can_steer_the_terminal(hit):
    hostile = hit(
        text=f"{HOSTILE}\nnext",
        document=DocumentRef(HOSTILE, HOSTILE, f"/a/{HOSTILE}\n.md"),
        headings=(HOSTILE,),
        why=(Reason("entity", HOSTILE, 1.0),),
    )
    shown = unstyled(hit_text(hostile))
    assert not set(shown) & {"\x1b", "\x07", "\r"}
    assert shown.count("\n") == 5  # two lines of text, one each for the rest
    assert shown.count(r"\x1b]0;owned\x07[red]x[/red]\r") == 6


def test_a_row_of_a_file_is_named_by_the_file_and_its_own_id(hit):
    assert "/a/rows.jsonl (row 9)" in hit_text(
        hit(document=DocumentRef("row 9", "Nine", "/a/rows.jsonl"))
    )


def test_the_closing_line_says_by_what_way_the_passages_were_found(context):
    assert found_line(context) == "1 passage in 1.0 ms; by way of dome"
    assert "whole index" in found_line(replace(context, fallback=True))
    ignored = replace(context, entities=(EntityMatch("dome", (7,), "nearly everywhere"),))
    assert found_line(replace(ignored, method="naive")).endswith("by the method naive")
    assert found_line(replace(context, hits=())) == "no passage was found"


def test_sources_name_marker_file_and_place_once_each(context):
    document = context.hits[0].document.id
    sure, unsure = Citation("[1]", document, 12, 20), Citation("[2]", document, 14, 20, False)
    stray = Citation("[3]", document, 900, 910)
    answer = Answer("...", (sure, unsure, sure, stray), context, "some-model")
    assert source_lines(answer) == [
        " [1] /a/handbook.md: characters 12-20",
        " [2] /a/handbook.md: characters 14-20  (its words are not all in that passage)",
        " [3] /a/handbook.md: characters 900-910",
    ]

"""The rows, the page and the program of `python -m benchmarks`."""

import dataclasses
import json
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def rows_of(benchmark):
    return benchmark("speed._rows")


def test_a_row_has_quartiles_and_facts(rows_of):
    one = rows_of.row("10 keys", "dict", "ns a key", [1.0, 2.0, 3.0, 4.0, 5.0], bytes_a_key=400)
    assert (one.low, one.median, one.high) == (2.0, 3.0, 4.0)
    assert one.facts == {"bytes a key": 400}


def test_ratios_are_against_the_named_way(rows_of):
    rows = [rows_of.row("s", "dict", "ns", [4.0]), rows_of.row("s", "ours", "ns", [1.0])]
    base, ours = rows_of.against(rows, "dict")
    assert base.ratio is None
    assert (ours.than, ours.ratio) == ("dict", 0.25)


def test_a_race_runs_all_ways_in_turn(rows_of):
    order = []
    spent = rows_of.race({"a": lambda: order.append("a"), "b": lambda: order.append("b")}, rounds=3)
    assert order == ["a", "b"] * 3
    assert [len(spent[way]) for way in "ab"] == [3, 3]


def test_a_race_can_clock_the_second_of_two_calls(rows_of):
    order = []
    ways = {"a": lambda: order.append("a"), "b": lambda: order.append("b")}
    assert len(rows_of.race(ways, rounds=2, twice=True)["a"]) == 2
    assert order == ["a", "a", "b", "b"] * 2


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0"),
        (0.00412, "0.00412"),
        (0.5, "0.5"),
        (1.005, "1"),
        (12.345, "12.35"),
        (98765.4, "98,765"),
    ],
)
def test_numbers_are_shown_without_exponents(benchmark, value, shown):
    assert benchmark("speed._page").number(value) == shown


def test_rows_are_shown_and_handed_on(benchmark, rows_of, capsys):
    pair = [rows_of.row("s", "dict", "ns", [4.0]), rows_of.row("s", "ours", "ns", [1.0], p99=2.0)]
    rows = rows_of.against(pair, "dict")
    assert list(benchmark("speed._show").show("lookup", rows)) == rows
    assert "0.25 of dict; p99 2" in capsys.readouterr().out


def kept(**medians):
    """Return results of one word with a row a way, at 1,000,000 entities."""
    rows = [
        {"size": "1,013,081 entities", "way": way, "median": value, "facts": {"p99 us": 2 * value}}
        for way, value in medians.items()
    ]
    return {"recognise": rows}


def test_figures_are_found_by_word_size_and_way(benchmark):
    promises = benchmark("speed._promises")
    results = kept(ours=6.5, theirs=7.5)
    assert promises.kept_of(results, promises.Place("recognise", 1e6, "ours")) == 6.5
    assert promises.kept_of(results, promises.Place("recognise", 1e6, "theirs", "p99 us")) == 15
    for absent in (("lookup", 1e6, "ours"), ("recognise", 1e7, "ours"), ("recognise", 1e6, "x")):
        with pytest.raises(LookupError):
            promises.kept_of(results, promises.Place(*absent))


@pytest.mark.parametrize(
    ("at_least", "value", "holds"),
    [(False, 3.0, True), (False, 3.1, False), (True, 3.0, True), (True, 2.9, False)],
)
def test_a_promise_holds_up_to_its_bound(benchmark, at_least, value, holds):
    one = benchmark("speed._promises").Promise("it", 3, "times", at_least, figure=lambda kept: 0)
    assert one.holds(value) is holds


def test_the_page_says_which_promises_do_not_hold_and_which_were_not_measured(benchmark, tmp_path):
    machine = {"processor": "P", "cores": 2, "python": "3.11"}
    one = benchmark("speed._rows").row("1,000,000 entities", "text to mentions", "us", [12.0])
    (tmp_path / "recognise.json").write_text(
        json.dumps({"machine": machine, "rows": [dataclasses.asdict(one)]})
    )
    page = benchmark("speed._page").page(tmp_path, ["recognise"])
    assert "at most 10 µs | 12 | **does not hold** |" in page
    assert "at most 300 ms | not measured | |" in page


def test_the_page_keeps_the_order_of_words_and_escapes_cells(benchmark, tmp_path):
    machine = {"processor": "P", "cores": 2, "python": "3.11"}
    one = {
        "size": "s", "way": "a|b", "unit": "ns", "median": 1, "low": 1, "high": 2, "than": "",
        "ratio": None, "facts": {"of": "x"},
    }  # fmt: skip
    for word in ("rank", "lookup"):
        (tmp_path / f"{word}.json").write_text(json.dumps({"machine": machine, "rows": [one]}))
    made = benchmark("speed._page").page(tmp_path, ["lookup", "rank", "walk"])
    assert made.index("## lookup") < made.index("## rank")
    assert "| a/b | 1 | 1 to 2 | ns |  | of x |" in made
    assert "## walk" not in made


def test_an_unknown_word_is_refused():
    ran = subprocess.run(
        [sys.executable, "-m", "benchmarks", "nonsense"],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
    )
    assert ran.returncode == 1
    assert "no benchmark 'nonsense'" in ran.stderr

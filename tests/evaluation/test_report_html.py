"""The HTML page: it needs nothing else, keeps foreign names text, and can be read by everyone."""

import base64
import hashlib
import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import combinations, pairwise
from math import nan

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridgerag.evaluation.report import html
from bridgerag.evaluation.report.drawing import short, text_width
from bridgerag.evaluation.report.markup import Markup, element, number
from bridgerag.evaluation.report.placing import Box, arrange
from bridgerag.evaluation.report.row_plots import Bar, bars, boxes
from bridgerag.evaluation.report.row_plots import Box as TimeBox
from bridgerag.evaluation.report.scale import Scale
from bridgerag.evaluation.summary import Cell
from evaluation.toy_report import METHODS, toy_report

REPORT = toy_report()
PAGE = html([REPORT])
EVIL = "</title><script>alert(1)</script><img src=x onerror='a'>\"&\x00\ud800{}"
SHOWN = EVIL.replace("\x00", "\ufffd").replace("\ud800", "\ufffd")


class Parsed(HTMLParser):
    """Every element as (name, attributes), in order, and all text."""

    def __init__(self, page):
        super().__init__()
        self.elements, self.open, self.texts = [], [], []
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    def named(self, name):
        return [attributes for tag, attributes in self.elements if tag == name]


def evil_report():
    """Return the report with markup in every text that comes from data."""
    summary = REPORT.summary
    rows = tuple(
        replace(row, label=f"{row.label} {EVIL}") if row.label == "tree" else row
        for row in summary.rows
    )
    groups = tuple(replace(group, name=EVIL) for group in summary.groups)
    return replace(
        REPORT,
        summary=replace(summary, dataset=EVIL, rows=rows, groups=groups, notes=(EVIL,)),
        fingerprint=EVIL,
        version=EVIL,
        command=EVIL,
        conditions={EVIL: EVIL},
        percentiles={**REPORT.percentiles, f"tree {EVIL}": REPORT.percentiles["tree"]},
        leaks=(EVIL,),
    )


def test_the_page_needs_nothing_and_allows_nothing():
    page = Parsed(PAGE)
    names = {name for name, _ in page.elements}
    assert not names & {
        "script",
        "link",
        "img",
        "iframe",
        "object",
        "base",
        "form",
        "foreignobject",
    }
    for _, attributes in page.elements:
        assert not {"src", "style", "srcset", "action"} & set(attributes)
        assert not any(name.startswith("on") for name in attributes)
        assert attributes.get("href", "#").startswith("#")
    style = re.search(r"<style>(.*?)</style>", PAGE, re.DOTALL)[1]
    assert not re.search(r"url\(|@import|expression", style)
    (policy,) = [m["content"] for m in page.named("meta") if "http-equiv" in m]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert policy.startswith(f"default-src 'none'; style-src 'sha256-{digest}'")


def test_what_comes_from_data_stays_text():
    page = Parsed(html([evil_report(), evil_report()]))
    assert {name for name, _ in page.elements} == {
        name for name, _ in Parsed(html([REPORT, REPORT])).elements
    }
    assert not any(name.startswith("on") for _, attributes in page.elements for name in attributes)
    assert "\n".join(page.texts).count(SHOWN) > 2 * 20
    html([evil_report()]).encode("utf-8")


@given(st.text(), st.text())
def test_no_text_and_no_attribute_gets_out_of_its_element(text, value):
    page = Parsed(element("p", text, title=value))
    assert [name for name, _ in page.elements] == ["p"]
    assert len(page.elements[0][1]) == 1


def test_markup_is_not_escaped_twice_and_numbers_are_short():
    inner = element("b", "a < b")
    assert element("p", inner, "&", class_="x", stroke_width=1.5, id=None) == (
        '<p class="x" stroke-width="1.5"><b>a &lt; b</b>&amp;</p>'
    )
    assert isinstance(inner, Markup)
    assert [number(value) for value in (1.0, 1.005, -0.001, 12.345)] == ["1", "1", "0", "12.35"]


def test_every_drawing_says_what_it_shows_and_no_id_occurs_twice():
    page = Parsed(html([REPORT, REPORT]))
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    drawings = page.named("svg")
    assert len(drawings) == 2 * 11
    for drawing in drawings:
        assert drawing["role"] == "img"
        assert all(name in ids for name in drawing["aria-labelledby"].split())
    for place, (name, _) in enumerate(page.elements):
        if name == "svg":
            assert [tag for tag, _ in page.elements[place + 1 : place + 3]] == ["title", "desc"]


def test_tables_and_headings_are_made_for_those_who_listen():
    for reports in ([REPORT], [REPORT, REPORT]):
        page = Parsed(html(reports))
        assert all(cell.get("scope") in ("row", "col") for cell in page.named("th"))
        assert len(page.named("caption")) == len(page.named("table")) == 4 * len(reports)
        levels = [int(name[1]) for name, _ in page.elements if re.fullmatch("h[1-6]", name)]
        assert levels.count(1) == 1
        assert all(below <= above + 1 for above, below in pairwise(levels))
    assert Parsed(PAGE).named("html") == [{"lang": "en"}]


def test_the_page_says_all_that_a_sceptic_asks_for():
    for words in (
        "500 questions over 6,119 documents", "Where we lose", "hippo", "fingerprint 0123456789",
        "No sign of any was found.", "extractive summaries stand in", "x86-64, 2 cores",
        "bridgerag 0.1.0", "bridgerag eval toy --seed 0", "What a tie is", "minilm-l6-v2-int8",
    ):  # fmt: skip
        assert words in PAGE, words


def test_each_method_is_in_every_table_and_in_the_plots_where_it_has_numbers():
    page = Parsed(PAGE)
    for label in METHODS:
        assert page.texts.count(label) >= 4 + (label != "none")
    assert "nan" not in PAGE
    assert "inf" not in "".join(re.findall(r'(?:d|points|[xy12cr]+)="[^"]*"', PAGE))


def test_the_same_reports_give_the_same_bytes():
    assert html([toy_report()]) == PAGE


def test_a_report_without_times_kinds_and_baseline_is_still_a_page():
    rows = tuple(
        replace(row, cells={key: Cell(cell.value) for key, cell in row.cells.items()})
        for row in REPORT.summary.rows[:1]
    )
    bare = replace(REPORT.summary, rows=rows, baseline=None, groups=(), notes=())
    page = Parsed(html([replace(REPORT, summary=bare, percentiles={}, depths={})]))
    assert not page.named("svg")
    empty = replace(bare, columns=(), rows=())
    Parsed(html([replace(REPORT, summary=empty, percentiles={}, depths={})]))


# ---- colours ------------------------------------------------------------------------------------


def themes():
    style = re.search(r"<style>(.*?)</style>", PAGE, re.DOTALL)[1]
    light, dark = re.findall(r":root \{(.*?)\}", style, re.DOTALL)
    return [dict(re.findall(r"--(\w+): (#\w{6})", theme)) for theme in (light, dark)]


def contrast(first, second):
    """Return the ratio that the Web Content Accessibility Guidelines define."""

    def luminance(colour):
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    dim, bright = sorted(map(luminance, (first, second)))
    return (bright + 0.05) / (dim + 0.05)


@pytest.mark.parametrize("theme", themes(), ids=["light", "dark"])
def test_text_and_marks_stand_out_from_what_is_behind(theme):
    for behind in ("card", "page", "wash"):
        for text in ("ink", "soft", "ours", "better", "worse", "naive", "second"):
            assert contrast(theme[text], theme[behind]) >= 4.5, (text, behind)
    assert contrast(theme["mark"], theme["card"]) >= 3


# ---- scales and places --------------------------------------------------------------------------

VALUES = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30)


@given(VALUES, st.integers(2, 8))
def test_a_linear_scale_holds_its_values_between_round_ticks(values, marks):
    scale = Scale.linear(values, 10.0, 200.0, marks=marks)
    assert all(10 <= scale(value) <= 200 for value in values)
    hair = 1e-8 * (scale.high - scale.low)
    assert scale.low - hair <= min(values) <= max(values) <= scale.high + hair
    assert list(scale.ticks) == sorted(set(scale.ticks))
    assert 2 <= len(scale.ticks) <= marks + 3
    order = [scale(value) for value in sorted(values)]
    assert order == sorted(order)


@given(st.lists(st.floats(1e-4, 1e5), min_size=1, max_size=30))
def test_a_logarithmic_scale_holds_its_values_and_has_a_tick(values):
    scale = Scale.logarithmic(values, 0.0, 300.0)
    assert all(0 < scale(value) < 300 for value in values)
    assert 1 <= len(scale.ticks) <= 12
    assert all(0 <= scale(tick) <= 300 for tick in scale.ticks)


def test_a_scale_of_shares_stays_between_0_and_100():
    assert Scale.linear([100.0, 100.0], 0.0, 1.0, within=(0, 100)).high == 100
    assert Scale.linear([0.0], 0.0, 1.0, within=(0, 100)).low == 0
    assert Scale.linear([], 0.0, 1.0).ticks
    assert Scale.logarithmic([0.0, nan], 0.0, 1.0).ticks


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.floats(30, 390), st.floats(30, 270)), min_size=1, max_size=15))
def test_names_lie_in_the_plot_and_those_of_points_apart_cover_nothing(points):
    area = Box(20, 20, 400, 300)
    places = arrange([40.0] * len(points), points, area)
    assert all(area.surrounds(place.box) for place in places)
    if all(
        abs(x1 - x2) > 60 or abs(y1 - y2) > 60 for (x1, y1), (x2, y2) in combinations(points, 2)
    ):
        assert all(a.box.overlap(b.box) == 0 for a, b in combinations(places, 2))
        assert not any(place.box.holds(x, y) for place in places for x, y in points)


def test_long_and_wide_names_are_cut_to_their_room():
    assert short("naive") == "naive"
    assert text_width(short("a" * 100, 80)) <= 80 + text_width("…")
    assert len(short("字" * 100, 80)) < len(short("a" * 100, 80))
    wide = bars("k", "t", "d", [Bar("W" * 200, "other", 5.0)], "x")
    assert "…" in wide
    assert "W" * 200 in wide  # in what appears under the pointer


def test_a_box_of_equal_times_can_still_be_seen():
    drawn = boxes("k", "t", "d", [TimeBox("naive", "naive", (1.0,) * 6)], "ms")
    assert 'width="1.5"' in drawn

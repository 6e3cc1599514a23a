"""The HTML report in a real browser: nothing complains, every plot is there, nothing is covered.

``BRIDGERAG_SCREENSHOTS`` names a folder that keeps the pictures; otherwise they are thrown away.
"""

import os
from pathlib import Path
from typing import NamedTuple

import pytest

from bridgerag.evaluation.report import html
from evaluation.browser import find_browser, open_page
from evaluation.toy_report import toy_report

BROWSER = find_browser()
pytestmark = pytest.mark.skipif(
    BROWSER is None, reason="no Chromium is installed, and BRIDGERAG_BROWSER names none"
)
VIEWS = {"desk": (1280, 900, False), "dark": (1280, 900, True), "phone": (375, 800, False)}

# What each plot and each table takes up, and which texts of one plot lie on one another.
MEASURE = """(() => {
  const size = (node) => { const b = node.getBoundingClientRect(); return [b.width, b.height]; };
  const shapes = 'rect, circle, line, polyline, text';
  const covered = [];
  for (const plot of document.querySelectorAll('svg.plot')) {
    const texts = [...plot.querySelectorAll('text')];
    texts.forEach((one, i) => texts.slice(i + 1).forEach((other) => {
      const a = one.getBoundingClientRect(), b = other.getBoundingClientRect();
      const x = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const y = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (x > 2 && y > 4) covered.push([one.textContent, other.textContent]);
    }));
  }
  const outside = [...document.querySelectorAll('svg.plot text')].filter((text) => {
    const a = text.getBoundingClientRect(), b = text.closest('figure').getBoundingClientRect();
    return a.left < b.left || a.right > b.right || a.top < b.top || a.bottom > b.bottom;
  }).map((text) => text.textContent);
  return {
    plots: [...document.querySelectorAll('svg.plot')].map(size),
    marks: [...document.querySelectorAll('svg.plot')].map(
      (plot) => [...plot.querySelectorAll(shapes)].filter((n) => Math.max(...size(n)) > 0).length),
    tables: [...document.querySelectorAll('table')].map(size),
    letters: Math.min(...[...document.querySelectorAll('svg.plot text')].map(
      (text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a)),
    fill: getComputedStyle(document.querySelector('.plot .ours circle')).fill,
    page: getComputedStyle(document.body).backgroundColor,
    wide: document.documentElement.scrollWidth - innerWidth,
    covered, outside,
  };
})()"""


class Shown(NamedTuple):
    """What was measured at each size, and what the browser complained of and asked for.

    ``heard`` is what it complained of on a page with two faults.
    """

    views: dict
    problems: list
    heard: list
    requests: list
    page: Path
    picture: Path


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    folder = tmp_path_factory.mktemp("browser")
    page = folder / "report.html"
    page.write_text(html([toy_report()]), encoding="utf-8")
    pictures = Path(os.environ.get("BRIDGERAG_SCREENSHOTS") or folder)
    pictures.mkdir(parents=True, exist_ok=True)
    found = {}
    with open_page(BROWSER, folder / "profile") as tab:
        for name, (width, height, dark) in VIEWS.items():
            tab.show(page, width, height, dark=dark)
            found[name] = tab.evaluate(MEASURE)
            if name == "desk" or pictures != folder:
                tab.screenshot(pictures / f"report-{name}.png")
        asked, problems = list(tab.requests), list(tab.problems)
        bad = folder / "bad.html"
        bad.write_text("<script>console.error('bad')</script><script>nothing()</script>")
        tab.show(bad, 800, 600)
        heard = tab.problems[len(problems) :]
    return Shown(found, problems, heard, asked, page, pictures / "report-desk.png")


def test_the_console_is_silent_and_nothing_is_asked_for(shown):
    assert shown.problems == []
    assert set(shown.requests) == {shown.page.as_uri()}


@pytest.mark.parametrize("view", VIEWS)
def test_every_plot_and_table_can_be_seen(shown, view):
    found = shown.views[view]
    assert len(found["plots"]) == 11
    assert all(width > 250 and height > 100 for width, height in found["plots"])
    assert all(count > 20 for count in found["marks"])
    assert all(width > 250 and height > 100 for width, height in found["tables"])


def test_the_picture_shows_something(shown):
    picture = shown.picture.read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert len(picture) > 100_000  # an empty page of that size has a tenth


@pytest.mark.parametrize("view", VIEWS)
def test_no_label_covers_another_or_leaves_its_frame(shown, view):
    assert shown.views[view]["covered"] == []
    assert shown.views[view]["outside"] == []


@pytest.mark.parametrize("view", VIEWS)
def test_the_page_fits_and_its_letters_are_large_enough(shown, view):
    assert shown.views[view]["wide"] <= 0
    assert shown.views[view]["letters"] >= (8.5 if view == "phone" else 12)


def test_colours_follow_the_readers_choice(shown):
    light, dark = shown.views["desk"], shown.views["dark"]
    assert light["page"] != dark["page"]
    assert light["fill"] != dark["fill"]
    assert "rgb(0, 0, 0)" not in (light["fill"], dark["fill"])


def test_a_complaint_would_have_been_heard(shown):
    assert len(shown.heard) == 2

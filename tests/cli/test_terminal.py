"""What may reach a terminal."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgerag.cli.terminal import fit, printable, printable_lines, shown_path

any_text = st.text(st.characters(codec=None))  # surrogates included, as in undecodable file names


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("\x1b]0;owned\x07", r"\x1b]0;owned\x07"),
        ("\x1b[2J\x1b[31mred", r"\x1b[2J\x1b[31mred"),
        ("\x9b31m", r"\x9b31m"),
        ("a\rb\nc\td", r"a\rb\nc\td"),
        ("user\u202etxt.exe", r"user\u202etxt.exe"),
        ("\udcff", r"\udcff"),
        ("[bold red]not markup[/]", "[bold red]not markup[/]"),
        ("café 天文台 🔭 می‌خواهم", "café 天文台 🔭 می‌خواهم"),
    ],
)
def test_controls_are_spelled_out_and_everything_else_is_left_alone(hostile, shown):
    assert printable(hostile) == shown


@given(any_text)
def test_no_text_whatever_brings_a_control_to_the_terminal(text):
    categories = {unicodedata.category(character) for character in printable(text)}
    assert not categories & {"Cc", "Cs", "Zl", "Zp"}


@given(any_text)
def test_lines_keep_their_line_ends_and_tabs_and_nothing_else(text):
    controls = {c for c in printable_lines(text) if unicodedata.category(c) in ("Cc", "Cs")}
    assert controls <= {"\n", "\t"}


@given(any_text, st.integers(3, 60))
def test_a_fitted_line_is_never_wider_than_asked(text, columns):
    wide = sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in fit(text, columns))
    narrow = sum(unicodedata.category(c) in ("Mn", "Me", "Cf") for c in fit(text, columns))
    assert wide - 2 * narrow <= columns


def test_a_line_that_fits_is_shown_whole_and_a_longer_one_ends_in_dots():
    assert fit("twelve chars", 12) == "twelve chars"
    assert fit("thirteen char", 12) == "thirteen ..."
    assert fit("天文台の鍵", 8) == "天文..."


def test_a_path_below_the_working_folder_is_shown_without_it(in_folder):
    assert shown_path(str(in_folder / "docs" / "a\nb.md")) == r"docs/a\nb.md"
    assert shown_path("/elsewhere/a.md") == "/elsewhere/a.md"

"""Filters over metadata, against Python's own idea of the same conditions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bridgerag
from bridgerag.errors import InputError
from bridgerag.store.where import parse_where

ROWS = {
    "a": {"year": 2019, "lang": "en", "draft": True},
    "b": {"year": 2020, "lang": "de", "a key": 1.5},
    "c": {"year": 2021.5, "lang": "en", "draft": False, "note": None},
    "d": {"year": "2020", "lang": "it's"},
    "e": {},
}


@pytest.fixture(scope="module")
def bridge(tmp_path_factory):
    with bridgerag.open(tmp_path_factory.mktemp("where"), settings={"embedding": "none"}) as bridge:
        bridge.add(
            documents=[
                bridgerag.Document(name, "", "", f"The Amber Gate, {name}.", metadata=row)
                for name, row in ROWS.items()
            ]
        )
        yield bridge


def found(bridge, where):
    for method in ("bridge", "naive"):
        hits = bridge.search("Amber Gate", where=where, method=method).hits
        names = sorted(hit.document.id for hit in hits)
    return "".join(names)


@pytest.mark.parametrize(
    ("where", "names"),
    [
        ("year >= 2020", "bc"),
        ("year>=2020 and lang='en'", "c"),
        ('lang = "it\'s"', "d"),
        ("year = '2020'", "d"),
        ("year != 2020", "acde"),
        ("not year < 2021", "bcde".replace("b", "")),
        ("draft = true or draft = false", "ac"),
        ("note = null", "c"),
        ('"a key" = 1.5', "b"),
        ("lang in ('en', 'de') and not (year = 2020 or draft = true)", "c"),
        ("id = 'a' or id > 'd'", "ae"),
        ("nothing = 1", ""),
    ],
)
def test_a_filter_keeps_the_documents_it_describes(bridge, where, names):
    assert found(bridge, where) == names


@pytest.mark.parametrize(
    "where",
    ["", "year", "year >", "year > 'x", "(a=1", "a=1)", "a=1 b=2", "= 1", "a ~ 1", "not", "a in 1",
     "id = 1", "a < true", "a=1;drop table documents", "(" * 60 + "a=1", "not " * 80 + "a=1"],
)  # fmt: skip
def test_a_filter_that_is_none_is_refused_in_one_line(where):
    with pytest.raises(InputError) as refusal:
        parse_where(where)
    assert "\n" not in str(refusal.value)


@given(st.text(max_size=60))
def test_no_text_reaches_the_statement(text):
    try:
        where = parse_where(text)
    except InputError:
        return
    assert set(where.sql) <= set(
        "()?<>=!, '$.\"coalesce json_type metadata IN text integer real AND OR NOT json_extract "
        "id title source"
    )


@pytest.mark.parametrize(
    "where",
    [
        " and ".join(["b!=1"] * 1_100),
        " or ".join(["y=1"] * 1_200 + ["year=2020"]),
        f"year in ({'1, ' * 2_000}2020)",
    ],
    ids=["and", "or", "in"],
)
def test_a_long_filter_is_no_deep_one(bridge, where):
    assert "b" in found(bridge, where)

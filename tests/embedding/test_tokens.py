import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bridgerag.embedding import tokens
from bridgerag.embedding.tokens import TokenCounts, encode

NASTY = (
    "\x00\x07\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0\xad\u0300\u0301\u0328\u0345\u061c\u1680\u180e\u2003"
    "\u200b\u200d\u200e\u2028\u2029\u202e\u202f\u205f\u2060\u3000\ufe0f\ufeff\ufffd\ufffe\U000e0001"
    "\ud800\udfff\U0001f468\U0001f3fd한글ｶﾞがガ語漢\uf900\U00020000ßẞİıΣςǅﬃ½²Åéñ[]#'’-—…。、؟ـ"
)
ORDINARY = " \t\n\raAbB1.,"
signs = st.one_of(st.sampled_from(ORDINARY), st.sampled_from(NASTY + ORDINARY), st.characters())
texts = st.lists(signs).map("".join)  # `st.text` would leave the surrogates out


@settings(max_examples=300, deadline=None)
@given(texts)
@example("joined\x0cby a\x1cform\x85feed")
@example("a\u0301 \u0301a e\xa0\u0301")
@example("[CLS] [SEP][UNK] ##ing [PAD")
@example("x" * 100 + " " + "x" * 101 + " " + "é" * 100)
def test_the_memo_counts_what_the_tokenizer_counts(text):
    counts = TokenCounts()
    assert counts(text) == len(encode(text))
    assert counts(text) == len(encode(text))


@settings(max_examples=300, deadline=None)
@given(st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=120))
@example("2308.10819v3")
@example("a" * 101)
@example("unaffable-WORDS,xqzk@##ing")
def test_plain_ascii_is_counted_without_the_tokenizer_and_alike(text):
    assert TokenCounts()(text) == len(encode(text))


@settings(max_examples=100, deadline=None)
@given(texts, st.data())
def test_spans_are_counted_as_the_texts_they_hold(text, data):
    places = st.integers(0, len(text))
    spans = [sorted(span) for span in data.draw(st.lists(st.tuples(places, places), max_size=5))]
    counts = TokenCounts().of_spans(text, np.array(spans, np.uint32).reshape(-1, 2))
    assert counts.tolist() == [len(encode(text[start:end])) for start, end in spans]


def test_every_sign_that_the_core_counts_itself_counts_as_the_tokenizer_says():
    signs = [chr(code) for code in range(tokens._PLAIN_SIGNS) if tokens._plain(code)]
    assert set("aÉñ.’“—…¿") < set(signs)
    counts = TokenCounts()
    for sign in signs:
        for piece in (sign, f"a{sign}b", f"hous{sign}{sign}"):
            assert counts(piece) == len(encode(piece)), (sign, piece)
    assert not counts.memo, "nothing was left to the tokenizer"


def test_text_is_tokenized_as_bert_does():
    assert encode("Hello, WÖRLD! unaffable") == [7592, 1010, 2088, 999, 14477, 20961, 3468]
    assert encode("东京 tower") == [100, 1755, 3578]
    assert encode("") == []


def test_special_tokens_in_a_text_are_ordinary_words():
    assert not {101, 102, 103, 0} & set(encode("[CLS] a [SEP] b [MASK] c [PAD]"))


def test_the_memo_stays_bounded_and_exact(monkeypatch):
    monkeypatch.setattr(tokens, "_MEMO_PIECES", 50)
    counts = TokenCounts()
    for number in range(500):
        assert counts(f"слово{number} again") == len(encode(f"слово{number} again"))
        assert len(counts.memo) <= 50


def test_long_pieces_are_counted_but_not_kept():
    counts = TokenCounts()
    assert counts("语" * 3000) == 3000
    assert not counts.memo


@pytest.mark.parametrize("text", ["\ud800", "broken \udcff pair", "\udfff\ud800"])
def test_half_a_surrogate_pair_counts_nothing(text):
    clean = text.encode("utf-8", "ignore").decode()
    assert encode(text) == encode(clean)

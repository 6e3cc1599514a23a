"""The native cleaner of texts agrees with expressions that say the same."""

import re

from hypothesis import example, given
from hypothesis import strategies as st

from bridgerag._native import clean_text, has_surrogates

SIGNS = st.sampled_from(
    ["\r\n", *"ab\r\n\t\v\f\0\x08\x0e\x1f\x7f\x85é漢", "\ufeff", "\ud800", "\udfff", "\U0001f600"]
)
TEXTS = st.lists(SIGNS, max_size=12).map("".join)


def cleaned(text):
    text = re.sub("\r\n|[\r\v\f]", "\n", text.removeprefix("\ufeff"))
    return re.sub("[\ud800-\udfff]", "\ufffd", re.sub("[\x00-\x08\x0e-\x1f]", "", text))


@given(TEXTS)
@example("x" * 5000 + "\r\nx")
@example("漢" * 5000 + "\udc00")
def test_a_text_is_cleaned_as_expressions_would(text):
    assert clean_text(text) == cleaned(text)
    assert has_surrogates(text) == bool(re.search("[\ud800-\udfff]", text))


def test_a_clean_text_is_handed_back_as_it_is():
    text = "Über\tuns\n" * 3
    assert clean_text(text) is text

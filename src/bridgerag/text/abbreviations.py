"""Words before a full stop that does not end a sentence, in lower case and without that stop."""

from __future__ import annotations

__all__ = ["BEFORE_NUMBER", "NEVER_LAST", "OPENERS", "RARELY_LAST"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# After these a stop never ends a sentence.
NEVER_LAST = _words("""
    mr mrs ms dr prof rev fr hon gov gen maj capt cmdr lt sgt messrs mme mlle sra dra
    e.g i.e eg ie cf viz vs resp approx ca z.b d.h u.a bzw им ул т.е т.к т.н
""")

# After these it does not when a number follows.
BEFORE_NUMBER = _words("""
    no nos nr fig figs eq eqs sec secs ch art vol vols p pp par col cols app ex st
""")

# After these, as after initials and short forms with inner stops, it ends one only when the next
# word is one of OPENERS.
RARELY_LAST = _words("""
    inc ltd co corp plc llc bros etc al jr sr dept univ assn est st mt rep sen pres ed eds op cit v
    jan feb mar apr jun jul aug sept sep oct nov dec г гг др руб тыс млн млрд
""")

OPENERS = _words("""
    A After All Although An And As At Because Before Both But By During Each For From He Her His How
    However I If In It Its Many Most My No Not On One Our She Since So Some Such That The Their Then
    There These They This Those Thus To Under Until We What When Where Which While Who Why With You
    Your El En La Las Le Les Los Se Un Una Das Der Die Es Il Im
    В Вместе Во Все Для Если За И Из К Как Когда Мы На Но Он Она Они От По После При С Так Это Я
""")

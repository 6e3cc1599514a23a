"""What every part that reads text agrees on: where sentences end, which words only join others.

Any script, no language detection, nothing but rules over characters and word lists.
"""

from __future__ import annotations

from bridgerag.text.sentences import sentence_rows, sentence_spans
from bridgerag.text.stopwords import CONNECTORS, STOP_IDEOGRAPHS, STOP_WORDS

__all__ = ["CONNECTORS", "STOP_IDEOGRAPHS", "STOP_WORDS", "sentence_rows", "sentence_spans"]

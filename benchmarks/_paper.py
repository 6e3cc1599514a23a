"""What the paper reports: Bridge-RAG, Table 1, by our names for methods and metrics."""

from __future__ import annotations

from collections.abc import Mapping
from math import nan

__all__ = ["METRICS", "SECONDS", "TABLE_1"]

METRICS = {
    "rouge1": "ROUGE-1",
    "rouge2": "ROUGE-2",
    "rougeL": "ROUGE-L",
    "bleu": "BLEU",
    "bertscore": "BERTScore",
}
SECONDS = "seconds"

_ROWS = {
    "AA-LCR": {
        "naive": (0.0890, 0.0303, 0.0812, 0.0178, 0.8244, nan),
        "raptor": (0.1294, 0.0533, 0.1253, 0.0381, 0.8279, nan),
        "tree": (0.1339, 0.0501, 0.1282, 0.0298, 0.8326, 9.6377),
        "graph": (0.1307, 0.0344, 0.1259, 0.0262, 0.8332, 10.2088),
        "bridge d=1": (0.1214, 0.0393, 0.1160, 0.0390, 0.8325, 5.7162),
        "bridge d=2": (0.1437, 0.0527, 0.1365, 0.0364, 0.8402, 5.7231),
        "bridge d=3": (0.1522, 0.0495, 0.1451, 0.0429, 0.8386, 5.7564),
    },
    "MedQA": {
        "naive": (0.3081, 0.1529, 0.3048, 0.0679, 0.8632, nan),
        "raptor": (0.3382, 0.1452, 0.3225, 0.0758, 0.8672, nan),
        "tree": (0.3498, 0.1415, 0.3466, 0.0733, 0.8698, 8.7238),
        "graph": (0.3533, 0.1412, 0.3478, 0.0698, 0.8712, 9.6782),
        "bridge d=1": (0.3501, 0.1467, 0.3452, 0.0776, 0.8741, 5.0237),
        "bridge d=2": (0.3599, 0.1430, 0.3542, 0.0722, 0.8772, 5.0354),
        "bridge d=3": (0.3884, 0.1678, 0.3805, 0.0818, 0.8784, 5.0618),
    },
}

TABLE_1: Mapping[str, Mapping[str, Mapping[str, float]]] = {
    data: {label: dict(zip((*METRICS, SECONDS), row, strict=True)) for label, row in rows.items()}
    for data, rows in _ROWS.items()
}
"""Data set, method, metric or `SECONDS`; NaN where the paper gives none."""

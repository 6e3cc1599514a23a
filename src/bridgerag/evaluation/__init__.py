"""Compare retrieval methods on questions: data, metrics, statistics, and a look for leaks."""

from __future__ import annotations

from bridgerag.evaluation.dataset import Dataset, QuestionItem, load_dataset
from bridgerag.evaluation.leaks import Leak, find_leaks
from bridgerag.evaluation.run import evaluate

__all__ = ["Dataset", "Leak", "QuestionItem", "evaluate", "find_leaks", "load_dataset"]

"""Bring files and documents into a store: what is new, what changed, what is gone."""

from bridgerag.ingest.add import Ingest
from bridgerag.ingest.clean import storable
from bridgerag.ingest.sync import compare, expect_folder
from bridgerag.ingest.watch import follow, rounds

__all__ = ["Ingest", "compare", "expect_folder", "follow", "rounds", "storable"]

"""What an abstract carries: its embedding, its summary, and the entities lifted to it."""

from bridgerag.abstracts.aggregate import aggregate
from bridgerag.abstracts.lift import lift
from bridgerag.abstracts.summarize import summarize

__all__ = ["aggregate", "lift", "summarize"]
